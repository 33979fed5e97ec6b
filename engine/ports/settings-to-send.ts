// Settings of an index as another instance takes them.
import { exportSettings, type IndexSettings } from '../settings/index.ts'
import type { TopologyPort } from './topology.ts'

type Asked = { readonly topology: Pick<TopologyPort, 'settings'> }

/** Secrets in clear; `{}` where there is no such index. */
export function settingsToSend({ topology }: Asked, uid: string): object {
  const settings: IndexSettings | null = topology.settings(uid)
  return settings === null ? {} : exportSettings(settings)
}
