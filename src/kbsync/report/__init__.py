"""Plans, outcomes and findings as text or JSON. Pure: values in, a string out; printing is the commands' business."""
