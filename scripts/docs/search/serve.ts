// The site with its search on this machine: a server with a temporary database, and a web server for
// the files.
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join, resolve, sep } from 'node:path'
import { startServer } from '../../server-process.ts'
import { buildSite } from './build.ts'
import { loadSections } from './load.ts'

export type ServedSite = { readonly url: string; readonly stop: () => Promise<void> }

const TYPES: { readonly [ending: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** `port` of the site; 0 means any free one. The server is the built one of the current folder. */
export async function serveSite(port: number): Promise<ServedSite> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-docs-'))
  const site = join(folder, 'site')
  const command = [
    process.execPath,
    resolve('dist/server/main.js'),
    '--db-path',
    join(folder, 'db'),
  ]
  const stops = [async () => rmSync(folder, { recursive: true, force: true })]
  const stop = async (): Promise<void> => {
    for (const end of stops.toReversed()) await end()
  }
  try {
    const server = await startServer({ command, cwd: folder })
    stops.push(async () => void (await server.stop()))
    await buildSite(site, null)
    await buildSite(site, await loadSections(site, server.url, null))
    const files = await serveFiles(site, port)
    stops.push(files.stop)
    return { url: files.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Serves the files of a folder on the loopback interface. */
async function serveFiles(folder: string, port: number): Promise<ServedSite> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const file = resolve(folder, `.${pathname}${pathname.endsWith('/') ? 'index.html' : ''}`)
    const isInside = file.startsWith(resolve(folder) + sep)
    if (!isInside || statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such page.\n')
      return
    }
    response.setHeader('content-type', TYPES[extname(file)] ?? 'text/plain; charset=utf-8')
    createReadStream(file).pipe(response)
  })
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(port, '127.0.0.1', listening)
  })
  const stop = (): Promise<void> =>
    new Promise((stopped) => {
      server.close(() => stopped())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}
