"""ovsdbapp (python3-ovsdbapp), the library of Neutron, as a subject."""

import threading
import time

import ovs.stream
from ovsdbapp.backend.ovs_idl import connection, event
from ovsdbapp.schema.ovn_northbound import impl_idl

from measuring import (
    ADDRESSES, LARGE_SWITCH, Bytes, Gauge, answer, latency_ms, python_value, read_job, read_units,
    request_port, warm_up,
)

TIMEOUT_S = 900


class NewPorts(event.RowEvent):
    """Notes how long after they were sent new ports arrive."""

    def __init__(self, gauge, job):
        super().__init__((self.ROW_CREATE,), 'Logical_Switch_Port', None)
        self.gauge, self.latencies, self.complete = gauge, [], threading.Event()
        self.unmeasured = warm_up(job)
        self.wanted = self.unmeasured + job['task']['count']

    def run(self, event, row, old):
        sent = row.external_ids.get('sent')
        if sent is None:
            return
        self.latencies.append(latency_ms(sent))
        if len(self.latencies) == self.unmeasured:
            self.gauge.start()
        if len(self.latencies) == self.wanted:
            self.gauge.pause()
            self.complete.set()
        else:
            request_port()


class Followed(connection.OvsdbIdl):
    """Hands changes to a handler, as every user of events writes it."""

    def __init__(self, *words, **more):
        super().__init__(*words, **more)
        self.handler = event.RowEventHandler()

    def notify(self, event, row, updates=None):
        self.handler.notify(event, row, updates)


def open_api(job, idl_class=connection.OvsdbIdl):
    idl = idl_class.from_server('unix:' + job['socketPath'], 'OVN_Northbound')
    return impl_idl.OvnNbApiIdlImpl(connection.Connection(idl, TIMEOUT_S))


def load(job):
    units = read_units(job)
    if job['task']['in'] == 'one-transaction':
        units = [[insert for unit in units for insert in unit]]
    api, commands, gauge, build_s = open_api(job), {}, Gauge(job), 0
    for unit in units:
        start = time.perf_counter()
        transaction = api.create_transaction(check_error=True)
        for insert in unit:
            # A command stands for the row that it makes.
            columns = {name: python_value(wire, commands.get) for name, wire in insert['row'].items()}
            commands[insert['uuid']] = transaction.add(api.db_create(insert['table'], **columns))
        build_s += time.perf_counter() - start
        gauge.start()
        transaction.commit()
        gauge.pause()
    note = f'one after the other; {build_s * 1000:.0f} ms of making commands not counted'
    return gauge.measurement(rows=row_count(api), note=note)


def first_copy(job):
    gauge = Gauge(job).start()
    api = open_api(job)
    gauge.pause()
    return gauge.measurement(rows=row_count(api))


def change(job):
    api, latencies, gauge, unmeasured = open_api(job), [], Gauge(job), warm_up(job)
    for nth in range(unmeasured + job['task']['count']):
        if nth == unmeasured:
            gauge.start()
        name, columns = f'new-{nth}', {'addresses': ADDRESSES, 'port_security': ADDRESSES}
        start = time.perf_counter()
        api.lsp_add(LARGE_SWITCH, name, **columns).execute(check_error=True)
        if nth >= unmeasured:
            latencies.append((time.perf_counter() - start) * 1000)
        api.lsp_del(name, switch=LARGE_SWITCH).execute(check_error=True)
    gauge.pause()
    return gauge.measurement(rows=row_count(api), latenciesMs=latencies)


def follow(job):
    api, gauge = open_api(job, Followed), Gauge(job)
    ports = NewPorts(gauge, job)
    api.idl.handler.watch_event(ports)
    request_port()
    ports.complete.wait(TIMEOUT_S)
    return gauge.measurement(rows=row_count(api), latenciesMs=ports.latencies[ports.unmeasured:])


def row_count(api):
    return sum(len(table.rows) for table in api.tables.values())


Bytes.count(ovs.stream.Stream)
TASKS = {'load': load, 'open': first_copy, 'change': change, 'follow': follow}
JOB = read_job()
answer(TASKS[JOB['task']['kind']](JOB))
