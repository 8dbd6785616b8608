import type { Convergence } from '../model/status.ts';
import type { Row } from '../ovsdb/index.ts';

/** A chassis and the nb_cfg that it has installed (ovn-sb(5), Chassis_Private). */
export interface ChassisProgress {
  readonly name: string;
  readonly nbCfg: number;
}

/**
 * How far a commit has got: sb_cfg proves that northd has translated it, each chassis' nb_cfg that it is installed
 * there. hv_cfg is not asked for: it is the slowest chassis' and never arrives while one is down, and it equals nb_cfg
 * when there is no chassis at all (ovn-nb(5)).
 */
export function convergenceOf(
  nbCfg: number,
  global: Row | undefined,
  chassis: readonly ChassisProgress[] | undefined,
  now: number,
): Convergence {
  const isTranslated = Number(global?.['sb_cfg'] ?? 0) >= nbCfg;
  const stamp = Number(global?.['sb_cfg_timestamp'] ?? 0);
  const translatedAt = isTranslated ? (stamp > 0 ? stamp : now) : undefined;
  if (chassis === undefined) return { nbCfg, translatedAt, chassis: undefined };
  const behind = chassis.filter((one) => one.nbCfg < nbCfg).map((one) => one.name);
  return {
    nbCfg,
    translatedAt,
    chassis: { caughtUp: chassis.length - behind.length, total: chassis.length, behind },
  };
}
