// Checks for environment variables that seem meant for this server but are not read: those of
// Meilisearch, and misspelt ones of ours.
import { nearest } from '../parse/schema/index.ts'
import { LaunchError } from './launch-error.ts'
import { type Option, variableName } from './option.ts'
import { OPTION_NAMES, OPTIONS, type OptionName } from './options.table.ts'

const OWN_PREFIX = 'SVC_'
const OTHER_PREFIX = 'MEILI_'

export const FAILURE_MODES = 'SVC_EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES'
export const OPENAI_KEY = 'SVC_OPENAI_API_KEY'

/** Variables that are not options but are read at run time or by the build. */
const ALSO_READ = [
  OPENAI_KEY,
  FAILURE_MODES,
  'SVC_BUILD_COMMIT_SHA',
  'SVC_BUILD_COMMIT_DATE',
  // Read by engine/natives.
  'SVC_NATIVES',
  'SVC_RUNTIME_TUNING',
] as const

/**
 * Kubernetes and Docker links describe a service named `svc-…` with such variables; they are not
 * mistakes of the operator.
 */
const OF_A_SERVICE = /_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT_\d+_(TCP|UDP)(_\w+)?$/
const LINK = /^(tcp|udp):\/\//

const BY_VARIABLE: ReadonlyMap<string, OptionName> = new Map(
  OPTION_NAMES.flatMap((name) => {
    const { alias } = OPTIONS[name] as Option<unknown>
    const names = alias === undefined ? [name] : [name, alias]
    return names.map((known) => [variableName(known), name] as const)
  }),
)

/**
 * Returns warnings about variables that have no effect. `given`: the options that have a value.
 * @throws LaunchError for a Meilisearch variable whose option has no value here: a server that
 * ignored its master key would be open to everyone
 */
export function checkVariables(
  environment: { readonly [variable: string]: string | undefined },
  given: ReadonlySet<OptionName>,
): readonly string[] {
  const warnings: string[] = []
  const renamed: string[] = []
  for (const [variable, value] of Object.entries(environment)) {
    if (value === undefined || value === '') continue
    if (variable.startsWith(OWN_PREFIX)) {
      if (!isRead(variable, value)) warnings.push(misspelt(variable))
    } else if (variable.startsWith(OTHER_PREFIX)) {
      const own = OWN_PREFIX + variable.slice(OTHER_PREFIX.length)
      const option = BY_VARIABLE.get(own)
      if (option === undefined) warnings.push(`${variable} has no effect: ${NO_COUNTERPART}`)
      else if (!given.has(option)) renamed.push(`  ${variable}: rename it to ${own}`)
    }
  }
  if (renamed.length > 0) throw renamedFault(renamed)
  return warnings
}

const NO_COUNTERPART = 'this server has no option of that name'

const isRead = (variable: string, value: string): boolean =>
  BY_VARIABLE.has(variable) ||
  (ALSO_READ as readonly string[]).includes(variable) ||
  OF_A_SERVICE.test(variable) ||
  (variable.endsWith('_PORT') && LINK.test(value))

function misspelt(variable: string): string {
  const near = nearest(variable, [...BY_VARIABLE.keys(), OPENAI_KEY, FAILURE_MODES])
  const advice = near === null ? NO_COUNTERPART : `did you mean ${near}?`
  return `${variable} has no effect: ${advice}`
}

const renamedFault = (renamed: readonly string[]): LaunchError =>
  new LaunchError(
    'error: these variables are for Meilisearch, and this server reads other names:\n' +
      `${renamed.join('\n')}\n\n` +
      'Rename them, or unset those that are not meant for this server. How to migrate:\n' +
      'https://github.com/svc-search/svc-search/blob/main/docs/migrating.md',
    2,
  )
