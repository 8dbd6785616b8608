import { compareText } from '../lib/order.ts';
import type { Labels, LabelSelector } from './specs.ts';

/** A label selector in its one canonical form: equal selectors, however written, are equal JSON. */
export type Requirements = readonly Requirement[];
type Requirement = readonly [
  key: string,
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist',
  values: readonly string[],
];

/** The requirements that labels must all meet; none for the empty selector. */
export function requirementsOf(selector: LabelSelector): Requirements {
  const requirements: Requirement[] = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]): Requirement => [key, 'In', [value]]),
    ...(selector.matchExpressions ?? []).map(({ key, operator, values = [] }): Requirement => [
      key,
      operator,
      [...new Set(values)].toSorted(compareText),
    ]),
  ];
  const distinct = new Map(requirements.map((requirement) => [JSON.stringify(requirement), requirement]));
  return [...distinct].toSorted(([a], [b]) => compareText(a, b)).map(([, requirement]) => requirement);
}

/** True when the labels meet every requirement; NotIn also accepts a label that is absent (Kubernetes labels). */
export function selects(requirements: Requirements, labels: Labels): boolean {
  return requirements.every(([key, operator, values]) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
    }
  });
}
