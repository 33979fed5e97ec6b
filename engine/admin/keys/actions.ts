// What actions mean. Names that this release does not know allow nothing.
import { GROUPS, INSTANCE_WIDE } from './actions.table.ts'

const instanceWide: ReadonlySet<string> = new Set(INSTANCE_WIDE)

/** Whether it is about the instance, so that no list of indexes could restrict it. */
export const isInstanceWide = (action: string): boolean => instanceWide.has(action)

/** Everything that these actions allow, the groups themselves included. */
export function allowedBy(actions: readonly string[]): ReadonlySet<string> {
  const allowed = new Set<string>(actions)
  for (const action of actions) {
    if (!Object.hasOwn(GROUPS, action)) continue
    for (const member of GROUPS[action]!) allowed.add(member)
  }
  return allowed
}
