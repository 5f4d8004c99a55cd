"""Help-center pages as text: templates and one stylesheet, for the preview and the sandbox alike."""
