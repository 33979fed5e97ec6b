// Checks the files for containers, and the README of the package.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }

describe('the container file', () => {
  const file = read('packaging/container/Dockerfile')
  const instructions = file.replaceAll(/\\\n/g, ' ').split('\n')
  const all = (word: string): string[] => instructions.filter((line) => line.startsWith(`${word} `))

  it('installs the package of this release, in one stage, and runs in another without rights', () => {
    const [build, run, ...more] = all('FROM')
    expect(build).toMatch(/^FROM node:\$\{NODE\}-bookworm AS build$/)
    expect(run).toMatch(/^FROM node:\$\{NODE\}-bookworm-slim$/)
    expect(more).toEqual([])
    expect(all('ARG')).toContain(`ARG PACKAGE=svc-search@${version}`)
    expect(all('USER').at(-1)).toMatch(/^USER [1-9]\d*:[1-9]\d*$/)
    expect(instructions.indexOf(all('USER')[0]!)).toBeLessThan(
      instructions.indexOf(all('ENTRYPOINT')[0]!),
    )
  })

  it('copies only files beside it', () => {
    const beside = readdirSync(join(root, 'packaging/container'))
    for (const line of all('COPY').filter((copy) => !copy.includes('--from='))) {
      const sources = line.split(' ').slice(1, -1)
      for (const source of sources) if (source !== '*.tgz') expect(beside).toContain(source)
    }
  })

  it('declares its health check, stop signal and port', () => {
    expect(all('HEALTHCHECK')[0]).toContain('--start-period=30m')
    expect(all('HEALTHCHECK')[0]).toContain('CMD ["node", "/app/health.mjs"]')
    expect(all('STOPSIGNAL')).toEqual(['STOPSIGNAL SIGTERM'])
    expect(all('EXPOSE')).toEqual(['EXPOSE 7700'])
    expect(all('ENTRYPOINT')[0]).toMatch(/^ENTRYPOINT \[/)
    expect(file).not.toMatch(/^ENV[^\n]*MASTER_KEY/m)
  })
})

describe('the health check', () => {
  const codeOf = (environment: NodeJS.ProcessEnv): Promise<number | null> =>
    new Promise((resolve) => {
      const script = join(root, 'packaging/container/health.mjs')
      const env = { PATH: process.env['PATH'], ...environment }
      spawn(process.execPath, [script], { env, stdio: 'ignore' }).once('exit', resolve)
    })

  it('requests the address of the server, and fails unless the answer is 200', async () => {
    let status = 200
    const asked: (string | undefined)[] = []
    const server = createServer((request, response) => {
      asked.push(request.url)
      response.writeHead(status).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const environment = { SVC_HTTP_ADDR: `0.0.0.0:${port}` }
    expect(await codeOf(environment)).toBe(0)
    status = 503
    expect(await codeOf(environment)).toBe(1)
    // A server without TLS is not healthy for a check with a certificate.
    expect(await codeOf({ ...environment, SVC_SSL_CERT_PATH: '/cert.pem' })).toBe(1)
    expect(asked).toEqual(['/health', '/health'])
    server.close()
    expect(await codeOf(environment)).toBe(1)
  })
})

describe('the README of the package', () => {
  const page = read('README.md')

  it('has only links that work outside of a checkout', () => {
    const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!)
    expect(links.filter((link) => !/^(https:|#)/.test(link))).toEqual([])
    const file = 'https://github.com/svc-search/svc-search/blob/main/'
    const image = 'https://raw.githubusercontent.com/svc-search/svc-search/main/'
    const paths = links.flatMap((link) => {
      const base = [file, image].find((start) => link.startsWith(start))
      return base === undefined ? [] : link.slice(base.length).replace(/#.*/, '')
    })
    expect(paths.length).toBeGreaterThan(15)
    for (const path of paths) expect(existsSync(join(root, path)), path).toBe(true)
  })

  it('begins with the package, and keeps commands of a checkout for its last part', () => {
    const [user = '', development = ''] = page.split('\n## Development\n')
    expect(user).toContain('npx svc-search')
    expect(user).not.toMatch(/npm run|npm test|node dist\//)
    expect(development).toContain('npm test')
  })
})
