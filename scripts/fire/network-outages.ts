// The outages of instances of a network under fire, one at a time.
import { pause } from './ask.ts'
import type { NetworkSession } from './network-session.ts'

/**
 * `kill`: SIGKILL and a restart. `stop`: SIGSTOP for a while. `drop`, `hold`: the others cannot
 * reach the instance.
 */
export const OUTAGES = ['kill', 'stop', 'drop', 'hold'] as const
export type Outage = (typeof OUTAGES)[number]

/** Causes one outage of an instance. Resolves when the instance answers again. */
export async function outage(
  session: NetworkSession,
  name: string,
  kind: Outage,
  ms: number,
): Promise<void> {
  const instance = session.instance(name)
  session.event(`${kind} ${name} for ${ms} ms`)
  instance.isOut = true
  instance.epoch++
  if (kind === 'kill') {
    await instance.kill()
    await pause(ms)
    await instance.boot()
  } else if (kind === 'stop') {
    instance.signal('SIGSTOP')
    await pause(ms)
    instance.signal('SIGCONT')
  } else {
    instance.mode = kind
    await pause(ms)
    instance.mode = 'pass'
  }
  instance.epoch++
  instance.isOut = false
  session.event(`${name} is back`)
}
