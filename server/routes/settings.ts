// Settings of an index: all together, and each under a path of its own.

import {
  type Engine,
  EngineFault,
  encodedSettings,
  resetPatch,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type SettingsPatch,
  type TaskContent,
} from '../../engine/index.ts'
import type { DocumentTemplate } from '../bodies/index.ts'
import { type Reply, type Route, type RouteRequest, type Rules, route } from '../http/index.ts'
import { checkIndexUid, SETTING_ROUTES } from '../parse/index.ts'
import type { RouteOptions } from './options.ts'
import { accepted, found } from './views.ts'

type OfIndex = RouteRequest<'indexUid'>

const READ: Rules = { permits: 'settings.get', body: 'none', query: false }
const CHANGE: Rules = { permits: 'settings.update', body: 'bulkJson', query: false }
const RESET: Rules = { permits: 'settings.update', body: 'none', query: false }

export const settingRoutes = ({ engine, bodies }: RouteOptions): readonly Route[] => [
  route('GET', '/indexes/:indexUid/settings', READ, ({ params }) => {
    checkIndexUid(params.indexUid)
    return found(shown(engine, params.indexUid))
  }),
  route('PATCH', '/indexes/:indexUid/settings', CHANGE, (request) =>
    change(engine, bodies, request, null),
  ),
  route('DELETE', '/indexes/:indexUid/settings', RESET, (request) =>
    reset(engine, request, resetPatch()),
  ),
  ...SETTING_NAMES.flatMap((name) => routesOf(engine, bodies, name)),
]

function routesOf(
  engine: Engine,
  bodies: RouteOptions['bodies'],
  name: SettingName,
): readonly Route[] {
  const { path: part, verb } = SETTING_ROUTES[name]
  const path = `/indexes/:indexUid/settings/${part}` as '/indexes/:indexUid/settings/*'
  return [
    route('GET', path, READ, ({ params }) => {
      checkIndexUid(params.indexUid)
      // As JSON: a setting that is a text would go out as it is.
      return found(JSON.stringify(engine.settings(params.indexUid)[name]))
    }),
    route(verb, path, CHANGE, (request) => change(engine, bodies, request, name)),
    route('DELETE', path, RESET, (request) => reset(engine, request, { [name]: null })),
  ]
}

/** All settings but those of features that are off; these are still there under their own paths. */
function shown(engine: Engine, indexUid: string): { readonly [name: string]: unknown } {
  const settings = engine.settings(indexUid)
  const shown: { [name: string]: unknown } = {}
  for (const name of SETTING_NAMES) {
    const { feature } = SETTINGS[name]
    if (feature === null || engine.features[feature]) shown[name] = settings[name]
  }
  return shown
}

/** `setting`: the one that the body is of; null: it names them. */
async function change(
  engine: Engine,
  bodies: RouteOptions['bodies'],
  request: OfIndex,
  setting: SettingName | null,
): Promise<Reply> {
  const { indexUid } = request.params
  const { features } = engine
  const target = { indexUid, features, setting }
  const { json, templates } = await bodies.read(request, 'settingsChange', target)
  await checkDocumentTemplates(engine, templates, request.signal)
  const allowIndexCreation = request.caller.mayCreateIndex
  const content = encodedSettings(json, { isDeletion: false, allowIndexCreation })
  return accepted(await engine.enqueue({ indexUid, content, customMetadata: null }))
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

/** Putting back needs no feature and creates no index. */
async function reset(engine: Engine, request: OfIndex, patch: SettingsPatch): Promise<Reply> {
  const { indexUid } = request.params
  checkIndexUid(indexUid)
  const content: TaskContent = {
    kind: 'settingsUpdate',
    patch,
    isDeletion: true,
    allowIndexCreation: false,
  }
  return accepted(await engine.enqueue({ indexUid, content, customMetadata: null }))
}
