// Settings of an index in the form that another instance accepts.
import type { IndexUid } from '../../../format/ids.ts'
import { exportSettings, type IndexSettings } from '../../settings/index.ts'
import type { TopologyPort } from './topology-port.ts'

type SettingsSource = { readonly topology: Pick<TopologyPort, 'settings'> }

/** Returns the settings with secrets in clear, or `{}` if the index does not exist. */
export function settingsToSend({ topology }: SettingsSource, uid: IndexUid): object {
  const settings: IndexSettings | null = topology.settings(uid)
  return settings === null ? {} : exportSettings(settings)
}
