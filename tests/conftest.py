"""Started in the background, a shell has programs ignore interrupts; the tests send some."""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
