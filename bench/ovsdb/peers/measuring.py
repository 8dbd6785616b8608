"""What all subjects in Python share: the job, the gauge and the answer; see ../job.ts."""

import json
import os
import sys
import time

MOST_WARM_UP = 50
STABLE_S = 1.5
TICK_MS = 1000 / os.sysconf('SC_CLK_TCK')
LARGE_SWITCH = 'large'
ADDRESSES = ['02:00:00:00:00:01 10.9.9.9']


class Gauge:
    """Adds up wall-clock and CPU time while it runs, ms, and counts what `Bytes` counts."""

    def __init__(self, job):
        self._pids = job['serverPids']
        self._sums = [0, 0, 0, 0, 0]
        self._begun = None

    def start(self):
        self._begun = self._read()
        return self

    def pause(self):
        self._sums = [total + now - then for total, now, then in zip(self._sums, self._read(), self._begun)]

    def measurement(self, **more):
        wall, cpu, server, bytes_in, bytes_out = self._sums
        times = {'wallMs': wall, 'cpuMs': cpu, 'serverCpuMs': server, 'peakRssMb': peak_rss_mb()}
        return {**times, 'bytesIn': bytes_in, 'bytesOut': bytes_out, **more}

    def _read(self):
        server = sum(cpu_ms(pid) for pid in self._pids)
        return [time.perf_counter() * 1000, time.process_time() * 1000, server, Bytes.received, Bytes.sent]


class Bytes:
    """What went through the streams of the `ovs` package."""

    received = 0
    sent = 0

    @staticmethod
    def count(stream):
        receive, send = stream.recv, stream.send

        def counted_receive(self, length):
            error, got = receive(self, length)
            Bytes.received += len(got or b'')
            return error, got

        def counted_send(self, buffer):
            sent = send(self, buffer)
            Bytes.sent += max(sent, 0)
            return sent

        stream.recv, stream.send = counted_receive, counted_send


def read_job():
    return json.loads(sys.argv[1])


def warm_up(job):
    """Repetitions before those that count."""
    return min(MOST_WARM_UP, job['task']['count'])


def read_units(job):
    """The units of the workload: lists of RFC 7047 inserts."""
    with open(job['workloadFile'], encoding='utf-8') as file:
        return json.load(file)


def python_value(wire, reference):
    """A value of RFC 7047 5.1 as the `ovs` package takes it; `reference` makes something of a uuid."""
    if not isinstance(wire, list):
        return wire
    kind, content = wire
    if kind == 'uuid':
        return reference(content)
    if kind == 'set':
        return [python_value(atom, reference) for atom in content]
    return dict(content)


def request_port():
    """Asks the writer for a port."""
    print('"next"', flush=True)


def answer(measurement):
    print(json.dumps(measurement), flush=True)


def latency_ms(sent):
    return (time.monotonic_ns() - int(sent)) / 1e6


def cpu_ms(pid):
    with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
        fields = file.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_MS


def peak_rss_mb(pid='self'):
    with open(f'/proc/{pid}/status', encoding='utf-8') as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith('VmHWM:'))
