// The entry files of threads, which the package ships in the folder `dist/workers`.
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type EngineOptions as Complete, RealFileSystem } from '../../engine/index.ts'
import { SvcSearchError } from './errors.ts'

type Workers = { readonly engine: NonNullable<Complete['workers']>; readonly bodies: URL }

const ADVICE =
  'leave `svc-search` out of the bundle (`serverExternalPackages` in Next.js, `external` in ' +
  'esbuild), or copy the folder `dist` of the package beside it and name its folder `workers` ' +
  'in the option `workersUrl`'

/**
 * `place`: a file URL or a path, of a folder that holds the files of this release. @throws
 * SvcSearchError workers_missing
 */
export function workersIn(place: string | URL): Workers {
  const folder = pathOf(place)
  const files = new RealFileSystem(folder)
  const file = (name: string): URL => {
    const path = join(folder, `${name}.js`)
    if (files.exists(`${name}.js`)) return pathToFileURL(path)
    const message = `the worker file \`${path}\` is not there: ${ADVICE}`
    throw new SvcSearchError('workers_missing', message, { type: 'system' })
  }
  return {
    engine: {
      search: file('search'),
      index: file('index'),
      archive: file('archive'),
      template: file('template'),
      models: file('models'),
    },
    bodies: file('bodies'),
  }
}

function pathOf(place: string | URL): string {
  const text = typeof place === 'string' ? place : place.href
  return text.startsWith('file:') ? fileURLToPath(text) : resolve(text)
}
