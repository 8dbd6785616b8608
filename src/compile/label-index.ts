import type { Requirements } from '../model/selector.ts';
import { selects } from '../model/selector.ts';
import type { PortNode } from './topology.ts';
import { append } from './topology.ts';

/** Ports by their labels, so that a selector looks at those that can meet it and not at all. */
export class LabelIndex {
  readonly #ports: readonly PortNode[];
  readonly #byLabel = new Map<string, PortNode[]>();

  constructor(ports: readonly PortNode[]) {
    this.#ports = ports;
    for (const port of ports) {
      for (const [key, value] of Object.entries(port.resource.labels)) {
        append(this.#byLabel, `${key}=${value}`, port);
      }
    }
  }

  /** The ports that meet all requirements, in no particular order. */
  select(requirements: Requirements): readonly PortNode[] {
    let candidates = this.#ports;
    for (const [key, operator, values] of requirements) {
      if (operator !== 'In') continue;
      const holders = values.flatMap((value) => this.#byLabel.get(`${key}=${value}`) ?? []);
      if (holders.length < candidates.length) candidates = holders;
    }
    return candidates.filter(({ resource }) => selects(requirements, resource.labels));
  }
}
