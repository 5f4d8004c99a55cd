"""Which hosts are of this machine, of a private network, or of the cloud around it: no link of a text leads there."""

from __future__ import annotations

import ipaddress
import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

INSIDE_4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # behind a carrier's translation; also metadata of Alibaba Cloud
        "127.0.0.0/8",  # this machine
        "168.63.129.16/32",  # the host below a machine at Azure
        "169.254.0.0/16",  # link-local, with the metadata of most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments; 192.0.0.192 is metadata at Oracle
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
"""Source: IANA IPv4 Special-Purpose Address Registry, and the clouds' own documents."""

WORLD_6 = IPv6Network("2000::/3")
"""All that was ever given out to be routed in the world."""

INSIDE_6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments, with Teredo, ORCHID and benchmarks
        "2001:db8::/32",  # documentation
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
"""Source: IANA IPv6 Special-Purpose Address Registry."""

MAPPED = IPv6Network("::ffff:0:0/96")
NAT64 = IPv6Network("64:ff9b::/96")
SIX_TO_FOUR = IPv6Network("2002::/16")

NAMES = (".localhost", ".local", ".localdomain", ".internal", ".intranet", ".lan", ".home.arpa")


def is_private(host: str) -> bool:
    """Whether a host certainly belongs to this machine or a private network, by its name."""
    name = host.strip("[]").rstrip(".").lower().partition("%")[0]
    try:
        return is_inside(ipaddress.ip_address(name))
    except ValueError:
        pass
    try:
        # `127.1` and `0x7f.1` are addresses, too.
        return is_inside(IPv4Address(socket.inet_aton(name)))
    except (OSError, UnicodeError):
        return "." not in name or name.endswith(NAMES)


def is_inside(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is not one of a host in the world, or only another way to write one that is not."""
    if isinstance(address, IPv4Address):
        return any(address in network for network in INSIDE_4)
    if address in MAPPED or address in NAT64:
        return is_inside(IPv4Address(int(address) & 0xFFFF_FFFF))
    if address in SIX_TO_FOUR:
        return is_inside(IPv4Address(int(address) >> 80 & 0xFFFF_FFFF))
    return address not in WORLD_6 or any(address in network for network in INSIDE_6)
