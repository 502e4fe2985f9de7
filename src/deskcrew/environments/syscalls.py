"""The system calls that programs inside our sandboxes may make: a seccomp filter, like those of container runtimes.

It is an allowlist. Calls that are known and not on it are refused with EPERM, unknown ones (newer than the libseccomp of
this machine) with ENOSYS, so that libraries fall back on older ones. Nothing is killed for trying. Only the machine's own
calling convention exists: 32-bit and x32 calls are refused as a whole. POSIX message queues are not on it: they outlive
their creator and nothing lists them, so that one program could leave messages there for a later one.
"""

from __future__ import annotations

import errno
import functools
import os
import socket

from deskcrew.facts.system_packages import install

_ALLOWED = """
accept accept4 access alarm arch_prctl bind brk cachestat capget capset chdir chown clock_getres clock_gettime
clock_nanosleep close close_range connect copy_file_range dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_ctl_old
epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2
fadvise64 fallocate fchdir fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fork fremovexattr fstat fstatfs
fsync ftruncate futex futex_requeue futex_wait futex_waitv futex_wake futimesat get_robust_list getcpu getcwd getdents
getdents64 getegid geteuid getgid getgroups getitimer getpeername getpgid getpgrp getpid getppid getpriority getrandom
getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid gettimeofday getuid getxattr
inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_setup
io_submit ioctl ioprio_get ioprio_set kill landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown
lgetxattr link linkat listen listxattr llistxattr lremovexattr lseek lstat madvise map_shadow_stack membarrier
memfd_create mincore mkdir mkdirat mlock mlock2 mlockall mmap mprotect
mremap mseal msgctl msgget msgrcv msgsnd msync munlock munlockall munmap name_to_handle_at
nanosleep newfstatat pause pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll prctl
pread64 preadv preadv2 prlimit64 pselect6 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recvfrom
recvmmsg recvmsg removexattr rename renameat renameat2 restart_syscall riscv_flush_icache riscv_hwprobe rmdir rseq
rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo
sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp select semctl
semget semop semtimedop sendfile sendmmsg sendmsg sendto set_robust_list set_tid_address setfsgid setfsuid setgid
setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid setsockopt setuid shmat
shmctl shmdt shmget shutdown sigaltstack signalfd signalfd4 splice stat statfs statx symlink symlinkat sync
sync_file_range syncfs sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime timer_settime
timerfd_create timerfd_gettime timerfd_settime times tkill truncate umask uname unlink unlinkat utime utimensat utimes
vfork vmsplice wait4 waitid write writev
"""
_FALL_BACK = ("clone3", "openat2")
"""Calls whose arguments are in memory, which no filter reads. Libraries fall back on ``clone`` and ``openat``."""
_NO_ATTRIBUTES = ("setxattr", "lsetxattr", "fsetxattr")
"""Refused as on a file system without them: if Deskcrew runs as root, a file could be given capabilities outside."""
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
"""Netlink reports the addresses. Not AF_VSOCK: it reaches the host of a virtual machine; no namespace restricts it."""
_MODES = {
    "chmod": 1,
    "fchmod": 1,
    "fchmodat": 2,
    "fchmodat2": 2,
    "creat": 1,
    "open": 2,
    "openat": 3,
    "mknod": 1,
    "mknodat": 2,
}
"""Calls that set a file's mode, and the index of that argument. If Deskcrew runs as root, set-uid files would be root's."""
_SET_ID = 0o6000
_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
_NEW_TIME = 0x80
"""CLONE_NEWTIME; for ``clone`` this is part of a signal's number."""
_BROWSERS_OWN = 0x70000000
"""User, process, network: what Chromium isolates its pages with. It mounts nothing."""
_PERSONALITIES = (0x0, 0x8, 0x20000, 0x20008, 0xFFFFFFFF)
_HIGHEST = 640
"""Calls have numbers below this."""


def why_not() -> str:
    """Why no filter can be made on this machine, for a person; '' if one can."""
    try:
        import pyseccomp  # noqa: F401  # pyright: ignore[reportMissingTypeStubs, reportUnusedImport]  # loads the library
    except RuntimeError:
        return f"libseccomp is not installed: {install('libseccomp2')}"
    return ""


@functools.cache
def program(*, browsers: bool) -> bytes:
    """The filter in bubblewrap's format. ``browsers``: programs inside may create the namespaces of their own sandboxes.

    Takes some milliseconds, once a process. Call :func:`why_not` before.
    """
    from pyseccomp import (  # pyright: ignore[reportMissingTypeStubs]
        ALLOW,
        EQ,
        ERRNO,
        MASKED_EQ,
        Arch,
        Arg,
        Attr,
        SyscallFilter,
        resolve_syscall,
    )

    made = SyscallFilter(ERRNO(errno.EPERM))
    made.set_attr(Attr.ACT_BADARCH, ERRNO(errno.ENOSYS))
    made.set_attr(Attr.CTL_OPTIMIZE, 2)  # a tree: what a call costs does not grow with the list

    def add(action: int, name: str, *conditions: Arg) -> None:
        number = resolve_syscall(Arch.NATIVE, name)
        if number >= 0:  # else this architecture has no such call, or libseccomp does not know it yet
            made.add_rule(action, number, *conditions)

    for name in (*_ALLOWED.split(), *(("chroot",) if browsers else ())):
        add(ALLOW, name)
    for family in _FAMILIES:
        add(ALLOW, "socket", Arg(0, EQ, family))
    add(ALLOW, "socketpair", Arg(0, EQ, socket.AF_UNIX))
    for personality in _PERSONALITIES:
        add(ALLOW, "personality", Arg(0, EQ, personality))
    for name, argument in _MODES.items():
        add(ALLOW, name, Arg(argument, MASKED_EQ, _SET_ID, 0))
    namespaces = _NAMESPACES & ~_BROWSERS_OWN if browsers else _NAMESPACES
    add(ALLOW, "clone", Arg(0, MASKED_EQ, namespaces, 0))
    add(ALLOW, "unshare", Arg(0, MASKED_EQ, namespaces | _NEW_TIME, 0))
    for name in _FALL_BACK:
        add(ERRNO(errno.ENOSYS), name)
    for name in _NO_ATTRIBUTES:
        add(ERRNO(errno.EOPNOTSUPP), name)
    for number in range(_HIGHEST):
        try:
            resolve_syscall(Arch.NATIVE, number)
        except ValueError:
            made.add_rule(ERRNO(errno.ENOSYS), number)
    with os.fdopen(os.memfd_create("filter"), "r+b") as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()
