import { openCopier } from './copy-revision.ts';
import { findRepository, readerOf, resolveLocalRef } from './local-repository.ts';
import type { Origin } from './origin.ts';
import { peelToCommit } from './revision.ts';
import { SourceFault } from './source-error.ts';
import type { Limits, SourceRef } from './source-options.ts';
import { qualifiedRef } from './source-options.ts';

/** A repository on this machine as the origin of revisions. It is read in place and never written. */
export function localOrigin(directory: string, limits: Limits): Origin {
  return {
    label: directory,
    find: async (ref: SourceRef) => {
      const repository = await findRepository(directory, limits);
      const name = qualifiedRef(ref);
      const oid =
        name === undefined ? ('commit' in ref ? ref.commit : '') : await resolveLocalRef(repository, name);
      if (oid === undefined) throw new SourceFault('REF_MISSING', `${directory} has no ${name ?? ''}`);
      if ((await readerOf(repository).read(oid)) === undefined) throw missingCommit(directory, oid);
      return peelToCommit(readerOf(repository), oid);
    },
    bring: async (order, signal) => {
      const { commit } = order;
      const repository = await findRepository(directory, limits);
      if ((await readerOf(repository).read(commit)) === undefined) throw missingCommit(directory, commit);
      const copier = openCopier(order, readerOf(repository), order.proven);
      await copier.copy(commit, signal);
      await copier.copyHistory(commit, signal);
      return commit;
    },
    close: () => Promise.resolve(),
  };
}

function missingCommit(directory: string, commit: string): SourceFault {
  return new SourceFault('COMMIT_MISSING', `${directory} has no commit ${commit}`);
}
