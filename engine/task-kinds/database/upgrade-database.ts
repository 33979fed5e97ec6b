// The task kind that upgrades a database of an older release.
import { object, open, text } from '../../../format/schema/index.ts'
import { versionParts, versionText } from '../../backup/dumps/index.ts'
import { contentAs } from '../../write/task-data/index.ts'
import type { TaskKind } from '../kind/index.ts'
import { runUpgrade, type UpgradeContent } from './upgrade-batch.ts'

const STORED = open(object<Omit<UpgradeContent, 'kind'>>({ from: text, to: text }))

export const upgradeDatabase: TaskKind<UpgradeContent> = {
  name: 'upgradeDatabase',
  number: 13,
  isGlobal: true,
  isForLeader: false,
  isRetried: true,
  failsWithStorage: true,
  queue: { of: 'kind', order: 1, takes: 'all' },

  encode: ({ kind: _, ...rest }) => ({ content: JSON.stringify(rest) }),
  decode: (view) => ({ kind: 'upgradeDatabase', ...contentAs(STORED, view) }),

  enqueuedDetails: (view) => {
    const { from, to } = upgradeDatabase.decode(view)
    return { upgradeFrom: from, upgradeTo: to }
  },

  runs: { upgradeDatabase: runUpgrade },

  dump: {
    needsIndex: false,
    tags: {
      upgradeDatabase: ({ from }) => ({
        kind: 'upgradeDatabase',
        from: versionText(from),
        to: versionText(from),
      }),
    },
    type: ({ from }) => ({ upgradeDatabase: { from: versionParts(from) } }),
    typeOfDetails: ({ upgradeFrom }) => ({ upgradeDatabase: { from: versionParts(upgradeFrom) } }),
    details: ({ upgradeFrom, upgradeTo }) => ({
      UpgradeDatabase: { from: versionParts(upgradeFrom), to: versionParts(upgradeTo) },
    }),
    detailsTags: {
      UpgradeDatabase: ({ from, to }) => ({
        upgradeFrom: versionText(from),
        upgradeTo: versionText(to),
      }),
    },
  },
}
