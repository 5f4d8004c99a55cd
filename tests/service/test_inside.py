"""Addresses that a link in a text must not lead to."""

from __future__ import annotations

import pytest

from kbsync.service.pinned import is_private

INSIDE = """
0.0.0.0 0.1.2.3 10.0.0.7 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 168.63.129.16 169.254.169.254 172.16.0.1
172.31.255.255 192.0.0.192 192.0.0.9 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
239.255.255.250 240.0.0.1 255.255.255.255 127.1 0x7f.1 2130706433 0177.0.0.1 2852039166
:: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:a9fe:a9fe ::ffff:0:10.0.0.1
64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::168.63.129.16 64:ff9b:1::1 64:ff9b:1::808:808
2002:7f00:1:: 2002:a00:1::1 2002:c0a8:101::1 2002:a9fe:a9fe::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2
2001:0:808:808:0:0:80ff:fffe 2001:db8::1 3fff::1 100::1 5f00::1 fc00::1 fd00:ec2::254 fd12::1 fe80::1 fe80::1%eth0 fec0::1
ff02::1 ff0e::1 4000::1 [::1] [fd00::1]
localhost LOCALHOST. intranet nas.local db.internal box.localdomain a.localhost x.home.arpa
"""

OUTSIDE = """
1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.1 168.63.129.15 168.63.129.17 172.15.0.1 172.32.0.1 192.0.1.1 223.255.255.255
2606:4700::1111 2a00:1450:4001::1 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1 [2606:4700::1111] 134744072
example.com localhost.example.com local.example
"""


@pytest.mark.parametrize("host", INSIDE.split())
def test_what_is_not_a_host_in_the_world_is_inside_in_whatever_way_it_is_written(host):
    assert is_private(host)


@pytest.mark.parametrize("host", OUTSIDE.split())
def test_hosts_in_the_world_are_not(host):
    assert not is_private(host)
