// The banner that an operator sees at the start: addresses, paths, and whether a master key
// protects the instance.
import { type Config, type KeyNotice, masterKeyNotices, RELEASE } from '../config/index.ts'
import type { Address } from '../http/index.ts'

const DOCUMENTATION = 'https://github.com/svc-search/svc-search/blob/main/README.md'
const SOURCE = 'https://github.com/svc-search/svc-search'

/**
 * Returns the text of the banner. `address` is where the server listens; `isTerminal` allows
 * colours.
 */
export function banner(config: Config, { host, port }: Address, isTerminal: boolean): string {
  const scheme = config.sslCertPath !== null && config.sslKeyPath !== null ? 'https' : 'http'
  const name = host.includes(':') ? `[${host}]` : host
  const facts: readonly (readonly [label: string, value: string])[] = [
    ['Config file path:', config.configFilePath ?? 'none'],
    ['Database path:', config.dbPath],
    ['Server listening on:', `${scheme}://${name}:${port}`],
    ['Environment:', config.env],
    ['Commit SHA:', RELEASE.commitSha],
    ['Commit date:', RELEASE.commitDate],
    ['Package version:', RELEASE.version],
  ]
  const lines = facts.map(([label, value]) => `${tabbed(label)}${JSON.stringify(value)}`)
  const notices = masterKeyNotices(config.masterKey).map((notice) => shown(notice, isTerminal))
  const telemetry = `${tabbed('Anonymous telemetry:')}"Disabled"`
  const links = [
    `${tabbed('Documentation:')}${DOCUMENTATION}`,
    `${tabbed('Source code:')}${SOURCE}`,
  ]
  const blocks = [LOGO, lines.join('\n'), telemetry, ...notices, links.join('\n')]
  return `\n${blocks.join('\n\n')}\n\n`
}

const TAB = 8
const VALUES_COLUMN = 24

/** Pads a label so that all values begin in the same column. */
const tabbed = (label: string): string =>
  label + '\t'.repeat(Math.max(1, Math.ceil((VALUES_COLUMN - label.length) / TAB)))

const LOGO = String.raw`
  ___ __ __ __
 (_-< \ V // _|
 /__/  \_/ \__|  search`.slice(1)

/** Black and bold on amber. */
const WARNING_ON = '\u001b[1;30;48;5;178m'
const WARNING_OFF = '\u001b[0m'

const shown = ({ text, isWarning }: KeyNotice, isTerminal: boolean): string =>
  isWarning && isTerminal ? `${WARNING_ON}${text}${WARNING_OFF}` : text
