import { compile, type Compiled } from '../../src/compile/compile.ts';
import type { ResourceSet } from '../../src/model/resource-set.ts';
import { printDiagnostics } from '../../src/spec/print.ts';
import { validateFiles } from '../../src/spec/validate.ts';

const API_VERSIONS: Readonly<Record<string, string>> = {
  NetworkPolicy: 'networking.k8s.io/v1',
  Namespace: 'v1',
};

/** Valid resources from YAML documents; apiVersion is filled in. Throws when validation finds an error. */
export function setOf(...texts: readonly string[]): ResourceSet {
  return validated(texts).set;
}

/** Compiles valid documents; throws when the compiler finds an error. */
export function compileText(...texts: readonly string[]): Compiled {
  const compiled = compile(setOf(...texts));
  const errors = compiled.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(printDiagnostics(errors));
  return compiled;
}

function validated(texts: readonly string[]): ReturnType<typeof validateFiles> {
  const files = texts.map((text, index) => ({ path: `${index}.yaml`, text: withApiVersions(text) }));
  const result = validateFiles(files);
  const errors = result.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(printDiagnostics(errors));
  return result;
}

function withApiVersions(text: string): string {
  return text.replaceAll(
    /^kind: (\w+)$/gm,
    (line, kind: string) => `apiVersion: ${API_VERSIONS[kind] ?? 'ovn-gitops.io/v1'}\n${line}`,
  );
}
