// Decides the role of an instance where writers hold a lease. Pure.
import { endOf, type WriterRecord } from '../../backup/objstore/index.ts'

export type RoleFacts = {
  /** new: nothing. follower: a database that follows another one. own: one that accepted writes. */
  readonly folder: 'new' | 'follower' | 'own'
  /** The identity of the folder. */
  readonly instance: string
  /** The instances whose place it may take. */
  readonly replaces: readonly (string | undefined)[]
  /** The record of the place, or null. */
  readonly record: WriterRecord | null
  /** Whether it was told to follow, and to take over only from another instance. */
  readonly isStandby: boolean
}

export type Role =
  /** It claims the lease now and accepts writes. */
  | 'claim'
  /** It claims the lease when its holder is silent: the operator said that this one replaces it. */
  | 'replace'
  /** It follows, and claims the lease when the holder is silent. */
  | 'follow'
  /** It was the writer and is no longer: it saves what it has not published, and follows. */
  | 'demote'
  /** Its folder holds a database that has nothing to do with the place. */
  | 'refuse'

export function decideRole(facts: RoleFacts): Role {
  const { folder, instance, replaces, record, isStandby } = facts
  if (record === null) {
    if (folder === 'own') return 'claim'
    return isStandby || folder === 'follower' ? 'follow' : 'claim'
  }
  if (folder !== 'own') return 'follow'
  if (record.instance === instance) return 'claim'
  if (replaces.includes(record.instance)) return 'replace'
  // It held the lease once, so that its data is an earlier version of the published one.
  return endOf(record, instance) === undefined ? 'refuse' : 'demote'
}
