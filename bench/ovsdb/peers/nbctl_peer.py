"""ovn-nbctl as a subject: a process a command, or a daemon that is told commands."""

import os
import resource
import signal
import subprocess
import tempfile
import time

from measuring import ADDRESSES, LARGE_SWITCH, Gauge, answer, cpu_ms, peak_rss_mb, read_job, read_units

# A process a change takes so long that fewer have to do.
MOST_CHANGES = 20


class Nbctl:
    """Runs commands, in processes of their own until the daemon is started."""

    def __init__(self, job):
        self.environment = {**os.environ, 'OVN_NB_DB': 'unix:' + job['socketPath']}
        self.directory = tempfile.mkdtemp(dir=os.path.dirname(job['socketPath']))
        self.pid = None

    def start_daemon(self):
        self.environment['OVN_RUNDIR'] = self.directory
        paths = [f'--{name}={self.directory}/{name}' for name in ('pidfile', 'log-file', 'unixctl')]
        self.environment['OVN_NB_DAEMON'] = self.run('--detach', *paths).strip()
        with open(f'{self.directory}/pidfile', encoding='utf-8') as file:
            self.pid = int(file.read())

    def run(self, *words):
        command = ['ovn-nbctl', *words]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f'{" ".join(words)[:200]}: {done.stderr}')
        return done.stdout

    def cpu_ms(self):
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        own = (spent.ru_utime + spent.ru_stime) * 1000
        return own if self.pid is None else own + cpu_ms(self.pid)

    def peak_rss_mb(self):
        if self.pid is not None:
            return peak_rss_mb(self.pid)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024

    def stop(self):
        if self.pid is not None:
            os.kill(self.pid, signal.SIGTERM)


def load(nbctl, job):
    commands = [[word for insert in unit for word in create(insert)] for unit in read_units(job)]

    def work():
        for words in commands:
            nbctl.run(*words)

    return measured(nbctl, job, work, note='one after the other')


def listing(nbctl, job):
    note = 'lists the switch ports, for which it reads no other table'
    return measured(nbctl, job, lambda: nbctl.run('list', 'Logical_Switch_Port'), note=note)


def change(nbctl, job):
    latencies, count = [], min(job['task']['count'], MOST_CHANGES)

    def work():
        for nth in range(count):
            start = time.perf_counter()
            add(nbctl, f'new-{nth}')
            latencies.append((time.perf_counter() - start) * 1000)
            nbctl.run('lsp-del', f'new-{nth}')

    return {**measured(nbctl, job, work), 'latenciesMs': latencies}


def add(nbctl, name):
    addresses = ['--', 'lsp-set-addresses', name, *ADDRESSES]
    security = ['--', 'lsp-set-port-security', name, *ADDRESSES]
    nbctl.run('lsp-add', LARGE_SWITCH, name, *addresses, *security)


def measured(nbctl, job, work, **more):
    cpu_before, gauge = nbctl.cpu_ms(), Gauge(job).start()
    work()
    gauge.pause()
    own = {'cpuMs': nbctl.cpu_ms() - cpu_before, 'peakRssMb': nbctl.peak_rss_mb()}
    # What it reads and writes can't be seen from here.
    return {key: value for key, value in gauge.measurement(**more).items() if key[:5] != 'bytes'} | own


def create(insert):
    words = ['--', f'--id={insert["uuid"]}', 'create', insert['table']]
    return words + [f'{column}={text(wire)}' for column, wire in insert['row'].items()]


def text(wire):
    """A value in the form of ovs-vsctl(8), "Column values"."""
    if isinstance(wire, int):
        return str(wire)
    if isinstance(wire, str):
        return quoted(wire)
    kind, content = wire
    if kind == 'uuid':
        return content
    if kind == 'set':
        return '[' + ','.join(text(atom) for atom in content) + ']'
    return '{' + ','.join(f'{quoted(key)}={quoted(value)}' for key, value in content) + '}'


def quoted(string):
    return '"' + string.replace('\\', '\\\\').replace('"', '\\"') + '"'


def main():
    job = read_job()
    nbctl = Nbctl(job)
    try:
        if job['subject'] == 'ovn-nbctl-daemon':
            nbctl.start_daemon()
        tasks = {'load': load, 'open': listing, 'change': change}
        answer(tasks[job['task']['kind']](nbctl, job))
    finally:
        nbctl.stop()


main()
