import { groupBy } from '../lib/group.ts';
import type { Requirements } from '../model/selector.ts';
import { LabelIndex } from './label-index.ts';
import type { PortNode } from './topology.ts';

/** The Ports of a subnet, looked up by namespace and label. A Port without a namespace is in none, and no policy means it. */
export class PortIndex {
  readonly #ports: readonly PortNode[];
  readonly #byNamespace: ReadonlyMap<string | undefined, readonly PortNode[]>;
  readonly #indexes = new Map<string | undefined, LabelIndex>();
  #whole: LabelIndex | undefined;

  constructor(ports: readonly PortNode[]) {
    this.#ports = ports;
    this.#byNamespace = groupBy(ports, ({ resource }) => resource.namespace);
  }

  /** The namespaces that the ports are in. */
  namespaces(): readonly string[] {
    return [...this.#byNamespace.keys()].filter((namespace) => namespace !== undefined);
  }

  /** Ports that meet all requirements. */
  select(requirements: Requirements): readonly PortNode[] {
    this.#whole ??= new LabelIndex(this.#ports);
    return this.#whole.select(requirements);
  }

  /** Ports of one namespace that meet all requirements. */
  selectIn(namespace: string, requirements: Requirements): readonly PortNode[] {
    const ports = this.#byNamespace.get(namespace);
    if (ports === undefined) return [];
    const index = this.#indexes.get(namespace) ?? new LabelIndex(ports);
    this.#indexes.set(namespace, index);
    return index.select(requirements);
  }
}
