// Indexes that instances bring into a network. If several bring the same one and the leader does
// not have it, their settings must agree: otherwise each member would keep the settings that came
// first.
import type { Engine, Network } from '../../../engine/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'

/** By uid of an index: the digest of its settings and primary key. */
export type Definitions = ReadonlyMap<IndexUid, string>

/** Returns the names of the instances that join by this change. */
export const joining = (before: Network, after: Network): readonly string[] =>
  [...after.remotes.keys()].filter(
    (name) => name !== after.self && (before.leader === null || !before.remotes.has(name)),
  )

/** `indexes`: by name of a joining instance. @throws ApiError */
export function checkJoiningIndexes(
  { topology }: Pick<Engine, 'topology'>,
  indexes: ReadonlyMap<string, Definitions>,
): void {
  const own = new Set(topology.indexUids())
  const first = new Map<string, { readonly name: string; readonly digest: string }>()
  for (const [name, definitions] of indexes) {
    for (const [uid, digest] of definitions) {
      const other = first.get(uid)
      if (other === undefined) first.set(uid, { name, digest })
      else if (!own.has(uid) && other.digest !== digest) throw disagreement(uid, other.name, name)
    }
  }
}

const disagreement = (uid: IndexUid, one: string, other: string): ApiError =>
  new ApiError(
    'invalid_network_remotes',
    `Remotes \`${one}\` and \`${other}\` have an index \`${uid}\` with different settings or ` +
      'primary keys, and the leader does not have it.\n' +
      '  - Hint: make both the same, or delete the index on one of them.\n' +
      '  - Hint: create the index on the leader: all instances get its settings.',
  )
