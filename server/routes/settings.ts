// Settings of an index: all together, and each under a path of its own.

import type { Engine } from '../../engine/api.ts'
import {
  checkPatch,
  checkPatchFeatures,
  resetPatch,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type SettingsPatch,
} from '../../engine/settings/index.ts'
import { type Reply, type Route, type RouteRequest, type Rules, route } from '../http/index.ts'
import { checkIndexUid, readSetting, readSettings, SETTING_ROUTES } from '../parse/index.ts'
import type { RouteOptions } from './options.ts'
import { accepted, found } from './views.ts'

type OfIndex = RouteRequest<'indexUid'>

const READ: Rules = { permits: 'settings.get', body: 'none', query: false }
const CHANGE: Rules = { permits: 'settings.update', body: 'json', query: false }
const RESET: Rules = { permits: 'settings.update', body: 'none', query: false }

export const settingRoutes = ({ engine }: RouteOptions): readonly Route[] => [
  route('GET', '/indexes/:indexUid/settings', READ, ({ params }) => {
    checkIndexUid(params.indexUid)
    return found(shown(engine, params.indexUid))
  }),
  route('PATCH', '/indexes/:indexUid/settings', CHANGE, (request) =>
    change(engine, request, readSettings),
  ),
  route('DELETE', '/indexes/:indexUid/settings', RESET, (request) =>
    reset(engine, request, resetPatch()),
  ),
  ...SETTING_NAMES.flatMap((name) => routesOf(engine, name)),
]

function routesOf(engine: Engine, name: SettingName): readonly Route[] {
  const { path: part, verb } = SETTING_ROUTES[name]
  const path = `/indexes/:indexUid/settings/${part}` as '/indexes/:indexUid/settings/*'
  return [
    route('GET', path, READ, ({ params }) => {
      checkIndexUid(params.indexUid)
      // As JSON: a setting that is a text would go out as it is.
      return found(JSON.stringify(engine.settings(params.indexUid)[name]))
    }),
    route(verb, path, CHANGE, (request) =>
      change(engine, request, (body) => readSetting(name, body)),
    ),
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

async function change(
  engine: Engine,
  request: OfIndex,
  read: (body: Uint8Array) => SettingsPatch,
): Promise<Reply> {
  const patch = read(await request.json())
  const { indexUid } = request.params
  checkIndexUid(indexUid)
  checkPatchFeatures(patch, engine.features)
  checkPatch(patch)
  return accepted(
    await engine.enqueue({
      indexUid,
      content: {
        kind: 'settingsUpdate',
        patch,
        isDeletion: false,
        allowIndexCreation: request.caller.mayCreateIndex,
      },
      customMetadata: null,
    }),
  )
}

/** Putting back needs no feature and creates no index. */
async function reset(engine: Engine, request: OfIndex, patch: SettingsPatch): Promise<Reply> {
  const { indexUid } = request.params
  checkIndexUid(indexUid)
  return accepted(
    await engine.enqueue({
      indexUid,
      content: { kind: 'settingsUpdate', patch, isDeletion: true, allowIndexCreation: false },
      customMetadata: null,
    }),
  )
}
