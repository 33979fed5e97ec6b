// The routes of the pages: a strict content security policy, and long caching of files whose
// address contains their digest.
import type { RawRequest, Reply, Route } from '../http/messages/index.ts'
import { type FileName, type PageOptions, type PreviewFile, previewFiles } from './files.ts'

const OPEN = { permits: null, body: 'none', query: null } as const

/**
 * Returns a route whose handler receives the raw request: its headers and its unparsed query
 * string.
 */
const fileRoute = (method: Route['method'], path: string, handle: Route['handle']): Route => ({
  ...OPEN,
  method,
  path,
  handle,
})

/**
 * Allows scripts, styles and requests of this server only, and forbids markup from strings and
 * frames. Documents may be hostile: even if a text became markup, it could not run or send a
 * request. `images`: other origins whose pictures the operator allows.
 */
const policyOf = (images: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self'", ...images].join(' '),
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

const SECURITY_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Permissions-Policy',
  'camera=(), geolocation=(), microphone=()',
] as const
const IMMUTABLE = 'public, max-age=31536000, immutable'
const REVALIDATE = 'no-cache'

/** Pages by address. Clients other than browsers get the answer of the API route. */
const PAGES = { '/': 'page.html', '/openapi': 'api.html' } as const
const PARTS = ['page.css', 'page.js', 'markdown.js', 'icon.svg'] as const
const API_PARTS = ['api.css', 'api.js'] as const
/** The pages of the documentation, for language models (https://llmstxt.org). */
const LLMS = 'llms.txt'

/**
 * Returns the routes with the pages of `folder` added, for clients whose `Accept` header names
 * HTML. A page for reading alone comes without the page of the API, which sends any request, and
 * without the list of the documentation.
 */
export function withPreview(
  routes: readonly Route[],
  folder: URL,
  options: PageOptions,
): readonly Route[] {
  const read = previewFiles(folder, options)
  const names = Object.entries(PAGES).filter(([path]) => !options.isReadOnly || path === '/')
  const paths = names.map(([path]) => path)
  const parts = options.isReadOnly ? PARTS : [...PARTS, ...API_PARTS]
  const pages = names.flatMap(([path, name]) => {
    const policy = policyOf(path === '/' ? options.images : [])
    const apiRoute = routes.find((row) => row.method === 'GET' && row.path === path)
    const page = async (request: RawRequest): Promise<Reply> => {
      const reply = replyOf(await read(name), request)
      return {
        ...reply,
        headers: [...(reply.headers ?? []), 'Content-Security-Policy', policy, 'Vary', 'Accept'],
      }
    }
    return [
      fileRoute('GET', path, (request) =>
        acceptsHtml(request) || apiRoute === undefined ? page(request) : apiRoute.handle(request),
      ),
      fileRoute('HEAD', path, (request) =>
        acceptsHtml(request) ? page(request) : METHOD_NOT_ALLOWED,
      ),
    ]
  })
  const part = (name: FileName) => async (request: RawRequest) => replyOf(await read(name), request)
  return [
    ...routes.filter(({ method, path }) => !(method === 'GET' && paths.includes(path))),
    ...pages,
    ...(['GET', 'HEAD'] as const).flatMap((method) =>
      parts.map((name) => fileRoute(method, `/preview/${name}`, part(name))),
    ),
    ...(options.isReadOnly
      ? []
      : (['GET', 'HEAD'] as const).map((method) => fileRoute(method, `/${LLMS}`, part(LLMS)))),
  ]
}

/** Answer to HEAD for clients other than browsers: API routes do not support the method. */
const METHOD_NOT_ALLOWED: Reply = { status: 405, headers: ['Allow', 'GET'] }

const acceptsHtml = (request: RawRequest): boolean =>
  /\btext\/html\b/i.test(request.header('accept') ?? '')

function replyOf(file: PreviewFile, request: RawRequest): Reply {
  const tag = `W/"${file.digest}"`
  const hasDigest = request.query === `v=${file.digest}`
  const headers = [
    'ETag',
    tag,
    'Cache-Control',
    hasDigest ? IMMUTABLE : REVALIDATE,
    ...SECURITY_HEADERS,
  ]
  const cachedTags = request.header('if-none-match') ?? ''
  if (cachedTags.split(',').some((item) => item.trim() === tag)) return { status: 304, headers }
  return {
    status: 200,
    body: file.bytes,
    contentType: file.type,
    headers,
    packed: file.packed,
  }
}
