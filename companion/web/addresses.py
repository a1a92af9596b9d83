"""By which addresses other devices may reach this machine, found without asking anything beyond it."""

import contextlib
import ipaddress
import socket
import struct
import sys
from collections.abc import Iterable


def lan_addresses() -> list[str]:
    """The IPv4 addresses other devices may reach this machine by, the likeliest first."""
    found = [*_routed_addresses(), *_interface_addresses(), *_named_addresses()]
    return sorted(dict.fromkeys(found), key=_unlikeliness) if found else []


def _unlikeliness(address: str) -> tuple[bool, bool]:
    """Container bridges and self-assigned addresses come after real networks, otherwise order is kept."""
    ip = ipaddress.ip_address(address)
    return ip.is_link_local, ip in ipaddress.ip_network("172.17.0.0/16")


def _usable(addresses: Iterable[str]) -> list[str]:
    ips = [ipaddress.ip_address(address) for address in addresses]
    return [str(ip) for ip in ips if not (ip.is_loopback or ip.is_unspecified)]


def _routed_addresses() -> list[str]:
    """Ask the routing table by 'connecting' datagram sockets, which sends nothing."""
    found = []
    for target in ("10.255.255.255", "192.168.255.255", "172.31.255.255", "224.0.0.251"):
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))
            found.append(probe.getsockname()[0])
    return _usable(found)


def _interface_addresses() -> list[str]:
    """Ask each interface; on Linux only. An access point without a route out is found here alone."""
    if not sys.platform.startswith("linux"):
        return []
    import fcntl

    siocgifaddr = 0x8915
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, interface in socket.if_nameindex():
            with contextlib.suppress(OSError):
                request = struct.pack("256s", interface.encode()[:15])
                found.append(socket.inet_ntoa(fcntl.ioctl(probe.fileno(), siocgifaddr, request)[20:24]))
    return _usable(found)


def _named_addresses() -> list[str]:
    try:
        return _usable(socket.gethostbyname_ex(socket.gethostname())[2])
    except OSError:
        return []
