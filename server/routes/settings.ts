// Settings of an index: all together, and each under a separate path.

import {
  type Engine,
  EngineFault,
  encodedSettings,
  FEATURES,
  type Features,
  resetPatch,
  SETTING_NAMES,
  type SettingName,
  type SettingsPatch,
  settingsShown,
  type TaskContent,
} from '../../engine/index.ts'
import { asIndexUid } from '../../format/ids.ts'
import {
  bulkJsonBody,
  type DocumentTemplate,
  type SettingsChange,
  type SettingsTarget,
} from '../bodies/index.ts'
import { route } from '../http/index.ts'
import type { Reply, Route, RouteRequest } from '../http/messages/index.ts'
import { readSettings, SETTING_ROUTES, settingSchema } from '../parse/index.ts'
import { checkIndexUid, type JsonSchema, schemaOf } from '../parse/schema/index.ts'
import { accepted, okReply, type RouteOptions } from './context/index.ts'

type OfIndex<Body = unknown> = RouteRequest<'indexUid', Body>
type Params = OfIndex['params']

const READ = { permits: 'settings.get', body: 'none', query: null } as const
const RESET = { permits: 'settings.update', body: 'none', query: null } as const

/** On an instance that is not the leader, the leader has already checked settings that it sends. */
function settingFeatures({ administration: { features }, network }: Engine): Features {
  const { leader, self } = network.get()
  if (leader === null || leader === self) return features
  return Object.fromEntries(FEATURES.map((name) => [name, true])) as Features
}

/** `setting`: the only setting in the body, or null if the body names its settings. */
const changeRules = ({ engine }: RouteOptions, setting: SettingName | null) => {
  const details = ({ indexUid }: Params): [SettingsTarget] => [
    { indexUid: asIndexUid(indexUid), features: settingFeatures(engine), setting },
  ]
  const schema = (): JsonSchema =>
    setting === null ? schemaOf(readSettings) : settingSchema(setting)
  const body = bulkJsonBody('settingsChange', details, schema)
  return { permits: 'settings.update', body, query: null }
}

export const settingRoutes = (options: RouteOptions): readonly Route[] => [
  route('GET', '/indexes/:indexUid/settings', READ, ({ params }) => {
    checkIndexUid(params.indexUid)
    const { engine } = options
    return okReply(
      settingsShown(engine.documents.settings(params.indexUid), engine.administration.features),
    )
  }),
  route('PATCH', '/indexes/:indexUid/settings', changeRules(options, null), (request) =>
    change(options, request),
  ),
  route('DELETE', '/indexes/:indexUid/settings', RESET, (request) =>
    reset(options, request, resetPatch()),
  ),
  ...SETTING_NAMES.flatMap((name) => routesOf(options, name)),
]

function routesOf(options: RouteOptions, name: SettingName): readonly Route[] {
  const { path: part, verb } = SETTING_ROUTES[name]
  const path = `/indexes/:indexUid/settings/${part}` as '/indexes/:indexUid/settings/*'
  return [
    route('GET', path, READ, ({ params }) => {
      checkIndexUid(params.indexUid)
      // As JSON text, because a string setting would be sent without quotes.
      return okReply(JSON.stringify(options.engine.documents.settings(params.indexUid)[name]))
    }),
    route(verb, path, changeRules(options, name), (request) => change(options, request)),
    route('DELETE', path, RESET, (request) => reset(options, request, { [name]: null })),
  ]
}

async function change(
  { engine, registrationOf }: RouteOptions,
  { params: { indexUid }, body, caller, context }: OfIndex<SettingsChange>,
): Promise<Reply> {
  await checkDocumentTemplates(engine, body.templates, context.signal)
  const allowIndexCreation = caller.mayCreateIndex
  const content = encodedSettings(body.json, { isDeletion: false, allowIndexCreation })
  const registration = registrationOf(context)
  return accepted(
    await engine.tasks.enqueue({
      indexUid: asIndexUid(indexUid),
      content,
      customMetadata: null,
      registration,
    }),
  )
}

/** @throws EngineFault invalid_settings_embedders */
async function checkDocumentTemplates(
  { templates }: Engine,
  found: readonly DocumentTemplate[],
  signal: AbortSignal,
): Promise<void> {
  if (found.length === 0) return
  const outcome = await templates.run(
    { source: found.map(({ text }) => text), input: null },
    { signal },
  )
  if (outcome.kind !== 'fault') return
  const place = outcome.at === null ? '.embedders' : found[outcome.at]!.place
  const why = `Invalid template: user error: cannot parse template: liquid: ${outcome.words}.`
  throw new EngineFault('invalid_settings_embedders', `\`${place}\`: ${why}`)
}

/** A reset needs no feature and creates no index. */
async function reset(
  { engine, registrationOf }: RouteOptions,
  { params: { indexUid }, context }: OfIndex,
  patch: SettingsPatch,
): Promise<Reply> {
  checkIndexUid(indexUid)
  const content: TaskContent = {
    kind: 'settingsUpdate',
    patch,
    isDeletion: true,
    allowIndexCreation: false,
  }
  const registration = registrationOf(context)
  return accepted(
    await engine.tasks.enqueue({
      indexUid: asIndexUid(indexUid),
      content,
      customMetadata: null,
      registration,
    }),
  )
}
