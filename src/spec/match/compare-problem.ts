import type { Constant } from './constant.ts';
import type { Operand, Relation } from './expression.ts';

/** A comparison; `constants` are the members of a set, or one. */
export interface Comparison {
  readonly operand: Operand;
  readonly relation: Relation;
  readonly constants: readonly Constant[];
  readonly isSet: boolean;
  /** Below an odd number of `!`. */
  readonly negated: boolean;
}

/** Why OVN would refuse a comparison, and which constant is to blame, if one is. */
export function compareProblem(
  comparison: Comparison,
): { readonly message: string; readonly constant?: Constant } | undefined {
  const { operand, relation, constants, isSet } = comparison;
  const { field } = operand;
  const isOrder = relation !== '==' && relation !== '!=';
  for (const constant of constants) {
    const message = constantProblem(operand, constant);
    if (message !== undefined) return { message, constant };
  }
  if (isOrder && field.level !== 'ordinal')
    return { message: `${field.name} can only be compared with == and !=` };
  if (isOrder && isSet) return { message: `a set can only be compared with == and !=` };
  const masked = constants.find((constant) => constant.mask !== undefined);
  if (isOrder && masked !== undefined)
    return { message: 'a masked value can only be compared with == and !=', constant: masked };
  return equalityProblem(comparison);
}

function constantProblem({ field, width }: Operand, constant: Constant): string | undefined {
  const isText = constant.format === 'string' || constant.format === 'group';
  if (field.level === 'string')
    return isText ? undefined : `${field.name} is compared with a text in quotes, not ${constant.text}`;
  if (isText) return `${field.name} is compared with a number or address, not ${constant.text}`;
  if (constant.format === 'ipv6' && width === 32) return `${constant.text} is IPv6, and ${field.name} is not`;
  if (constant.bits > width)
    return `${constant.text} needs ${constant.bits} bits, and ${field.name} has ${width}`;
  if (constant.format === 'ipv4' && width === 128)
    return `${constant.text} is IPv4, and ${field.name} is not`;
  return undefined;
}

/** Nominal fields have no flows for "everything else". */
function equalityProblem({
  operand: { field },
  relation,
  constants,
  negated,
}: Comparison): { readonly message: string } | undefined {
  if (field.level !== 'nominal' && field.level !== 'string') return undefined;
  const isPositive = (relation === '==') !== negated;
  if (!field.predicate) {
    return isPositive
      ? undefined
      : { message: `${field.name} can only be tested for what it is, not for what it is not` };
  }
  const fine = constants.every(({ value }) => (value === 1n) === isPositive);
  return fine
    ? undefined
    : { message: `${field.name} can only be tested for being so, not for not being so` };
}
