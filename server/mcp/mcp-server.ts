// Answers one message of the Model Context Protocol. Nothing is kept between messages. What a tool
// does, and to whom it is permitted, decides the route that it calls; failures of that route become
// errors of JSON-RPC.
import { decoder, encoder } from '../../format/bytes/index.ts'
import { ApiError, toApiError } from '../errors/index.ts'
import type { Authorise, ReadBody } from '../http/index.ts'
import type {
  BodySource,
  JsonBody,
  RawRequest,
  Reply,
  RequestContext,
  Route,
} from '../http/messages/index.ts'
import type { McpMessage } from '../parse/index.ts'
import { TOOL_ANSWER_BYTES_MAX } from './limits.ts'
import {
  CACHEABLE,
  CODES,
  errorText,
  failureOf,
  isKnownVersion,
  McpError,
  resultText,
  toolResult,
  VERSION,
  versionFor,
} from './messages.ts'
import { ArgumentError, type RouteCall, type Tool, toolsOf } from './tools.ts'

const INSTRUCTIONS =
  'This server searches documents in indexes. First list the indexes with `listIndexes`, then look ' +
  'at the documents of the relevant ones with `describeIndex` to learn their fields, then search ' +
  'with `searchInIndexes`. `facetSearch` finds the values of a field for filters. Fields in ' +
  'filters, facets and sorts must be set up for that in the index; an error names those that are.'

const PREFIX = 'io.modelcontextprotocol/'

type Options = {
  /** All routes of the API. */
  readonly routes: readonly Route[]
  readonly authorise: Authorise
  readonly readBody: ReadBody
  readonly version: string
  /** Returns the members of a search in an index that apply unless the agent sends them. */
  readonly memberDefaults: (indexUid: string) => object
}

type Params = McpMessage['params']

export class McpServer {
  readonly #options: Options
  #tools: ReadonlyMap<string, Tool> | null = null

  constructor(options: Options) {
    this.#options = options
  }

  /** Built at the first use: it needs the descriptions of large bodies. */
  get tools(): ReadonlyMap<string, Tool> {
    const { routes, memberDefaults } = this.#options
    this.#tools ??= new Map(toolsOf(routes, memberDefaults).map((tool) => [tool.name, tool]))
    return this.#tools
  }

  /** Returns the answer to a message. @throws ApiError if this server is at fault */
  async answer({ id, method, params }: McpMessage, context: RequestContext): Promise<Reply> {
    // A notification, which gets no answer.
    if (id === null) return { status: 202 }
    try {
      const result = await this.#result(method, params, context)
      return { status: 200, body: resultText(id, result) }
    } catch (error) {
      if (error instanceof McpError) return { status: 200, body: errorText(id, error) }
      throw error
    }
  }

  /** Returns the result as JSON text. @throws McpError */
  async #result(method: string, params: Params, context: RequestContext): Promise<string> {
    checkVersion(params)
    const serverInfo = { name: 'Svc Search', version: this.#options.version }
    const offer = { capabilities: { tools: {} }, instructions: INSTRUCTIONS }
    switch (method) {
      case 'server/discover': {
        const _meta = { [`${PREFIX}serverInfo`]: serverInfo }
        return JSON.stringify({ ...CACHEABLE, supportedVersions: [VERSION], ...offer, _meta })
      }
      case 'initialize': {
        const protocolVersion = versionFor(params['protocolVersion'])
        return JSON.stringify({ protocolVersion, serverInfo, ...offer })
      }
      case 'ping':
        return '{}'
      case 'tools/list':
        return JSON.stringify({ ...CACHEABLE, tools: [...this.tools.values()].map(shown) })
      case 'tools/call':
        return this.#call(params, context)
      default:
        throw unknownName(CODES.unknownMethod, 'method', method)
    }
  }

  async #call(params: Params, context: RequestContext): Promise<string> {
    const { name, arguments: given = {} } = params
    const tool = typeof name === 'string' ? this.tools.get(name) : undefined
    if (tool === undefined) {
      throw unknownName(CODES.badParams, 'tool', typeof name === 'string' ? name : 'null')
    }
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw refused('Invalid `arguments`: expected an object.')
    }
    try {
      return toolResult(await this.#run(tool, given as { [name: string]: unknown }, context))
    } catch (error) {
      if (error instanceof ArgumentError) throw refused(error.message)
      const failure = toApiError(error)
      // The server logs its own failures.
      if (failure.code === 'internal') throw error
      throw failureOf(failure)
    }
  }

  /** Runs a tool; returns its answer as JSON text. @throws ArgumentError, ApiError, EngineFault */
  async #run(
    { route, call }: Tool,
    given: { readonly [name: string]: unknown },
    context: RequestContext,
  ): Promise<string> {
    const made = call(given)
    const { authorise, readBody } = this.#options
    const caller = await authorise(route, context.header('authorization'), made.params)
    return answerText(await route.handle(innerRequest(made, caller, context, readBody)))
  }
}

const shown = ({ name, title, description, inputSchema }: Tool): object => ({
  name,
  title,
  description,
  inputSchema,
})

/** @throws McpError */
function checkVersion({ _meta }: Params): void {
  const requested = (_meta as { [name: string]: unknown } | null | undefined)?.[
    `${PREFIX}protocolVersion`
  ]
  if (requested === undefined || isKnownVersion(requested)) return
  throw new McpError(
    CODES.unsupportedVersion,
    `Unsupported protocol version: this server speaks ${VERSION}.`,
    { supported: [VERSION], requested },
  )
}

const refused = (message: string): McpError => failureOf(new ApiError('bad_request', message))

const unknownName = (code: number, what: string, name: string): McpError => {
  const { message, data } = refused(`Unknown ${what} \`${name}\`.`)
  return new McpError(code, message, data)
}

/**
 * The request of a tool to a route. Headers of the client are not passed on: they may ask for what
 * only other instances may have.
 */
function innerRequest(
  { params, query, body }: RouteCall,
  caller: RawRequest['caller'],
  { uid, address, signal }: RequestContext,
  readBody: ReadBody,
): RawRequest {
  const header = (name: string): string | undefined =>
    name === 'content-type' ? 'application/json' : undefined
  const whole = {
    bytes: encoder.encode(JSON.stringify(body)),
    packing: null,
    hold: () => undefined,
  } as const
  const source: BodySource = { signal, header, json: () => Promise.resolve(whole) }
  const path = params as RawRequest['params']
  return {
    uid,
    address,
    signal,
    header,
    params: path,
    query,
    caller,
    read: <T>(wanted: JsonBody<T>) => readBody(source, wanted, wanted.details(path)),
    pour: () => Promise.reject(new ApiError('internal', 'No tool sends documents.')),
  }
}

/** Returns a reply of the API as text. @throws ApiError answer_too_large */
function answerText({ body, parts }: Reply): string {
  const pieces = parts ?? (body instanceof Uint8Array ? [body] : null)
  if (pieces === null) return checked(typeof body === 'string' ? body : JSON.stringify(body))
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
  if (bytes > TOOL_ANSWER_BYTES_MAX) throw tooLarge()
  return decoder.decode(Buffer.concat(pieces))
}

const checked = (text: string): string => {
  if (Buffer.byteLength(text) > TOOL_ANSWER_BYTES_MAX) throw tooLarge()
  return text
}

const tooLarge = (): ApiError =>
  new ApiError(
    'answer_too_large',
    `The answer is larger than ${TOOL_ANSWER_BYTES_MAX} bytes: ask for fewer hits with \`limit\`, ` +
      'or for fewer fields with `attributesToRetrieve`.',
  )
