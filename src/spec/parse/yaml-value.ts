import { fieldPath } from '../field-path.ts';
import type { Problem } from './problem.ts';
import { resolveScalar } from './scalar.ts';
import type { YamlNode, YamlScalar } from './yaml-node.ts';

/** A value as JSON has it. Mappings have no prototype, so that no key has a meaning of its own. */
export type YamlValue =
  null | boolean | number | string | readonly YamlValue[] | { readonly [key: string]: YamlValue };

/** Without a prototype, like `Object.create(null)`, and as fast to read as other objects. */
const Fields = function Fields(): void {} as unknown as new () => Record<string, YamlValue>;
Fields.prototype = Object.create(null);

/** The value of a node. Numbers with an objection are reported with the field that they are in. */
export function yamlValue(root: YamlNode, problems: Problem[]): YamlValue {
  const path: (string | number)[] = [];
  return valueOf(root);

  function valueOf(node: YamlNode): YamlValue {
    if (node.kind === 'scalar') return scalarValue(node);
    if (node.kind === 'sequence') return node.items.map((item, index) => childValue(index, item));
    const record = new Fields();
    for (const { key, value } of node.entries) record[key] = childValue(key, value);
    return record;
  }

  function childValue(segment: string | number, node: YamlNode): YamlValue {
    path.push(segment);
    const value = valueOf(node);
    path.pop();
    return value;
  }

  function scalarValue(node: YamlScalar): YamlValue {
    const { value, objection } = resolveScalar(node);
    if (objection !== undefined)
      problems.push({ code: 'YAM109', ...objection, span: node, field: fieldPath(path) });
    return value;
  }
}
