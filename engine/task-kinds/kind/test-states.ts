// States of a catalog with some indexes, for tests.

import { asIndexNo, asIndexUid } from '../../../format/ids.ts'
import { apply } from '../../store/catalog/apply.ts'
import type { State } from '../../store/catalog/index.ts'
import { EMPTY_STATE } from '../../store/catalog/state.ts'

export const AT = 1_700_000_000_000_000

export function applied(state: State, changes: Parameters<typeof apply>[1]['changes']): State {
  const edit = { sequence: state.sequence + 1, checkpoint: false, changes }
  return apply(state, edit, (claim) => {
    throw new Error(claim)
  })
}

/** A state with indexes of these names, numbered from 1. */
export const stateOf = (uids: readonly string[]): State =>
  uids.reduce((state, uid, i) => {
    const index = asIndexNo(i + 1)
    const created = { index, uid: asIndexUid(uid), primaryKey: null, at: AT, settings: '{}' }
    return applied(state, [{ kind: 'index-created', ...created }])
  }, EMPTY_STATE)
