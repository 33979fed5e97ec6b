// The meaning of actions. Names that this release does not define allow nothing.
import { GROUPS, INSTANCE_WIDE } from './actions.table.ts'

const instanceWide: ReadonlySet<string> = new Set(INSTANCE_WIDE)

/** Returns true for actions on the instance, which a list of indexes cannot restrict. */
export const isInstanceWide = (action: string): boolean => instanceWide.has(action)

/** Returns all that these actions allow, the groups themselves included. */
export function allowedBy(actions: readonly string[]): ReadonlySet<string> {
  const allowed = new Set<string>(actions)
  for (const action of actions) {
    if (!Object.hasOwn(GROUPS, action)) continue
    for (const member of GROUPS[action]!) allowed.add(member)
  }
  return allowed
}
