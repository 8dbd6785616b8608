import type { YamlScalar } from './yaml-node.ts';

/** What the YAML 1.2 core schema makes of a scalar (YAML 1.2.2 10.3.2). */
export interface ResolvedScalar {
  readonly type: 'null' | 'boolean' | 'integer' | 'float' | 'string';
  readonly value: null | boolean | number | string;
  /** Why the number must not be taken at face value. */
  readonly objection?: { readonly message: string; readonly hint: string };
}

/** Resolves a scalar. Numbers that readers disagree on, or that JavaScript would round, carry an objection. */
export function resolveScalar(scalar: YamlScalar): ResolvedScalar {
  const { text } = scalar;
  // What starts like this is a string for sure; nearly everything does.
  if (!scalar.plain || /^[a-eg-mo-su-zA-EG-MO-SU-Z/]/.test(text)) return { type: 'string', value: text };
  if (/^(?:|~|null|Null|NULL)$/.test(text)) return { type: 'null', value: null };
  if (/^(?:true|True|TRUE)$/.test(text)) return { type: 'boolean', value: true };
  if (/^(?:false|False|FALSE)$/.test(text)) return { type: 'boolean', value: false };
  if (/^[-+]?[0-9]+$/.test(text)) return decimal(text);
  if (/^0o[0-7]+$|^0x[0-9a-fA-F]+$/.test(text)) return integer(text, BigInt(text));
  if (
    /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$|^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/.test(
      text,
    )
  ) {
    return {
      type: 'float',
      value: Number(text),
      objection: {
        message: `${text} is not written as a whole number`,
        hint: 'Write the digits, or quote it if it is a text.',
      },
    };
  }
  return { type: 'string', value: text };
}

function decimal(text: string): ResolvedScalar {
  const digits = text.replace(/^[-+]/, '');
  const resolved = integer(text, text.startsWith('-') ? -BigInt(digits) : BigInt(digits));
  if (!/^0[0-9]/.test(digits) || resolved.objection !== undefined) return resolved;
  return {
    ...resolved,
    objection: {
      message: `${text} has a leading zero: YAML 1.2 reads ${BigInt(digits)}, YAML 1.1 reads octal`,
      hint: 'Write the number without the zero, or quote it if it is a text.',
    },
  };
}

function integer(text: string, value: bigint): ResolvedScalar {
  const resolved = { type: 'integer', value: Number(value) } as const;
  if (Number.isSafeInteger(resolved.value)) return resolved;
  return {
    ...resolved,
    objection: {
      message: `${text} is beyond 2^53 - 1, the largest exact number`,
      hint: 'Write a smaller number.',
    },
  };
}
