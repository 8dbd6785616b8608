import type { Labels, LabelSelector } from '../../model/specs.ts';

/** True when the labels satisfy all requirements; an empty selector selects everything. */
export function selects(selector: LabelSelector, labels: Labels): boolean {
  const exact = Object.entries(selector.matchLabels ?? {});
  return (
    exact.every(([key, value]) => valueOf(labels, key) === value) &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      const value = valueOf(labels, key);
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
    })
  );
}

function valueOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
