"""The Python IDL (python3-openvswitch) as a subject."""

import time

import ovs.db.idl
import ovs.poller
import ovs.stream

from measuring import (
    ADDRESSES, LARGE_SWITCH, STABLE_S, Bytes, Gauge, answer, latency_ms, python_value, read_job,
    read_units, request_port, warm_up,
)

SCHEMA = '/usr/share/ovn/ovn-nb.ovsschema'


class Follower(ovs.db.idl.Idl):
    """Notes how long after they were sent new ports arrive."""

    latencies = None
    wanted = 0

    def notify(self, event, row, updates=None):
        if self.latencies is None or event != 'create' or row._table.name != 'Logical_Switch_Port':
            return
        sent = row.external_ids.get('sent')
        if sent is not None:
            self.latencies.append(latency_ms(sent))
            if len(self.latencies) < self.wanted:
                request_port()


def open_idl(job):
    helper = ovs.db.idl.SchemaHelper(SCHEMA)
    helper.register_all()
    idl = Follower('unix:' + job['socketPath'], helper)
    run_until(idl, idl.has_ever_connected)
    return idl


def run_until(idl, condition):
    idl.run()
    while not condition():
        poller = ovs.poller.Poller()
        idl.wait(poller)
        poller.block()
        idl.run()


def load(job):
    units = read_units(job)
    if job['task']['in'] == 'one-transaction':
        units = [[insert for unit in units for insert in unit]]
    idl = open_idl(job)
    gauge, build_s, known = Gauge(job), 0, {}
    for unit in units:
        start = time.perf_counter()
        transaction, rows = build(idl, unit, known)
        build_s += time.perf_counter() - start
        gauge.start()
        commit(transaction)
        gauge.pause()
        known.update({name: transaction.get_insert_uuid(row.uuid) for name, row in rows.items()})
    note = f'one after the other; {build_s * 1000:.0f} ms of building rows not counted'
    return gauge.measurement(rows=row_count(idl), note=note)


def build(idl, unit, known):
    """Rows refer to others of the same transaction, or to uuids that earlier ones were given."""
    transaction, rows = ovs.db.idl.Transaction(idl), {}
    for insert in unit:
        row = transaction.insert(idl.tables[insert['table']])
        rows[insert['uuid']] = row
        for column, wire in insert['row'].items():
            setattr(row, column, python_value(wire, lambda name: rows.get(name) or known[name]))
    return transaction, rows


def commit(transaction):
    status = transaction.commit_block()
    if status != ovs.db.idl.Transaction.SUCCESS:
        raise RuntimeError(f'{status}: {transaction.get_error()}')


def first_copy(job):
    gauge = Gauge(job).start()
    idl = open_idl(job)
    gauge.pause()
    return gauge.measurement(rows=row_count(idl))


def change(job):
    idl, latencies, gauge, unmeasured = open_idl(job), [], Gauge(job), warm_up(job)
    large = large_switch(idl)
    for nth in range(unmeasured + job['task']['count']):
        if nth == unmeasured:
            gauge.start()
        start = time.perf_counter()
        port = add_port(idl, large, f'new-{nth}')
        if nth >= unmeasured:
            latencies.append((time.perf_counter() - start) * 1000)
        remove_port(idl, large, port)
    gauge.pause()
    return gauge.measurement(rows=row_count(idl), latenciesMs=latencies)


def large_switch(idl):
    return next(row for row in idl.tables['Logical_Switch'].rows.values() if row.name == LARGE_SWITCH)


def add_port(idl, large, name):
    """Returns the new row's uuid."""
    transaction = ovs.db.idl.Transaction(idl)
    port = transaction.insert(idl.tables['Logical_Switch_Port'])
    port.name, port.addresses, port.port_security = name, ADDRESSES, ADDRESSES
    large.addvalue('ports', port)
    commit(transaction)
    return transaction.get_insert_uuid(port.uuid)


def remove_port(idl, large, uuid):
    transaction = ovs.db.idl.Transaction(idl)
    large.delvalue('ports', idl.tables['Logical_Switch_Port'].rows[uuid])
    commit(transaction)


def follow(job):
    idl, gauge, unmeasured = open_idl(job), Gauge(job), warm_up(job)
    idl.latencies, idl.wanted = [], unmeasured + job['task']['count']
    request_port()
    run_until(idl, lambda: len(idl.latencies) >= unmeasured)
    gauge.start()
    run_until(idl, lambda: len(idl.latencies) >= idl.wanted)
    gauge.pause()
    return gauge.measurement(rows=row_count(idl), latenciesMs=idl.latencies[unmeasured:])


def reconnect(job):
    idl, latencies, gauge = open_idl(job), [], Gauge(job)
    for nth in range(job['task']['count']):
        # The transaction that it is at it learns only by a change; without one it copies everything again.
        large = large_switch(idl)
        remove_port(idl, large, add_port(idl, large, f'new-{nth}'))
        rest = time.monotonic() + STABLE_S
        while time.monotonic() < rest:
            idl.run()
            time.sleep(0.05)
        start, broken = time.perf_counter(), idl._session.rpc
        gauge.start()
        # Unlike a connection that breaks, this is not followed by a second of waiting.
        idl.force_reconnect()
        run_until(idl, lambda: idl._session.rpc not in (None, broken) and idl.state == idl.IDL_S_MONITORING)
        gauge.pause()
        latencies.append((time.perf_counter() - start) * 1000)
    return gauge.measurement(rows=row_count(idl), latenciesMs=latencies)


def compare(job):
    idl, task, latencies = open_idl(job), job['task'], []
    wanted = [
        (table, row.uuid, {column: plain(getattr(row, column)) for column in table.columns})
        for table in idl.tables.values()
        for row in table.rows.values()
    ]
    length, gauge = len(wanted) if task['rows'] == 'all' else task['rows'], Gauge(job).start()
    for nth in range(task['count']):
        begin = nth * length % max(1, len(wanted) - length + 1)
        start = time.perf_counter()
        for table, uuid, columns in wanted[begin:begin + length]:
            row = table.rows[uuid]
            if any(plain(getattr(row, column)) != value for column, value in columns.items()):
                raise RuntimeError(f'{uuid} differs from itself')
        latencies.append((time.perf_counter() - start) * 1000)
    gauge.pause()
    return gauge.measurement(rows=len(wanted), latenciesMs=latencies)


def plain(value):
    """Rows that are referred to compare by identity otherwise."""
    if isinstance(value, list):
        return [plain(atom) for atom in value]
    return value.uuid if isinstance(value, ovs.db.idl.Row) else value


def row_count(idl):
    return sum(len(table.rows) for table in idl.tables.values())


Bytes.count(ovs.stream.Stream)
TASKS = {'load': load, 'open': first_copy, 'change': change, 'follow': follow, 'reconnect': reconnect,
         'compare': compare}
JOB = read_job()
answer(TASKS[JOB['task']['kind']](JOB))
