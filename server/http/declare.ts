// Builds the rows of the route table: the inputs that a row declares are read before its handler
// runs.
import type { QueryReader } from '../parse/schema/index.ts'
import type {
  Answer,
  BodyOf,
  BodyRule,
  Handler,
  ParameterOf,
  Precheck,
  QueryOf,
  RawRequest,
  Route,
  Rules,
} from './messages/index.ts'

/**
 * Builds a row of a table. `path` has to be a literal, so that the handler's type has its
 * parameters. Faults are reported in the order precheck, query, body, handler.
 */
export function route<
  Path extends string,
  Body extends BodyRule<ParameterOf<Path>>,
  Query extends QueryReader<unknown> | null,
>(
  method: Route['method'],
  path: Path,
  rules: Rules<Body, Query> & { readonly precheck?: Precheck<ParameterOf<Path>> },
  handler: Handler<ParameterOf<Path>, BodyOf<Body>, QueryOf<Query>>,
): Route {
  const { precheck, ...declared } = rules
  const row = declared as Rules
  const answer = handler as Handler<string, unknown, unknown>
  const read = row.body === 'none' ? withoutBody(row, answer) : withBody(row, answer)
  const check = precheck as Precheck<string> | undefined
  const handle =
    check === undefined ? read : (request: RawRequest): Answer => check(request) ?? read(request)
  return { method, path, ...row, handle }
}

type Handle = Route['handle']
type AnyHandler = Handler<string, unknown, unknown>

const withoutBody =
  ({ query }: Rules, answer: AnyHandler): Handle =>
  (request) =>
    answer(handed(request, query === null ? null : query(request.query), null))

const withBody =
  ({ query, body, isBodyFirst = false }: Rules, answer: AnyHandler): Handle =>
  async (request) => {
    const asked = query === null || isBodyFirst ? null : query(request.query)
    const found = typeof body === 'string' ? request : await request.read(body)
    const late = query !== null && isBodyFirst ? query(request.query) : asked
    return answer(handed(request, late, found))
  }

const handed = (context: RawRequest, query: unknown, body: unknown) => {
  const { params, caller } = context
  return { params, query, body, caller, context }
}
