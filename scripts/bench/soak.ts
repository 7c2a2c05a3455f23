/**
 * `bun run bench soak --minutes 60 [--rate 5] [--kind NAME]`: what memory a server takes that is
 * used for a long time. Kinds of work of a day take turns, a fixed number of requests a second;
 * memory is printed each minute, then its level and its slope in the second half.
 */
import { startEngine } from './compare.ts'
import { readShareMiB, type ServerProcess } from './processes.ts'
import type { World } from './world.ts'

const MANAGER = { UserName: 'ana', Password: 'ana-demo-password' }
const WANTED_MIB = 320
/** One user does here what many do elsewhere. */
const QUOTAS = { 'Svc:Exports:UserFiles': '100000' }
const SVC = '/api/v1/svc'

export interface SoakPace {
  minutes: number
  /** Requests a second. */
  rate: number
  /** One kind of work alone. */
  kind?: string | undefined
}

interface Customer {
  Id: number
  Region: string
}

/** Parts that a kind of work asks the server with. */
interface Client {
  post: (path: string, body: unknown) => Promise<Answer>
  get: (path: string) => Promise<Answer>
  remove: (path: string) => Promise<Answer>
  /** Connects to the hub of notifications, and leaves it. */
  hub: () => Promise<void>
  /** A multipart form. */
  send: (path: string, form: FormData) => Promise<Answer>
  /** An order's id that differs from turn to turn. */
  idOf: (nth: number) => number
  /** A customer's id and region. */
  customerOf: (nth: number) => Customer
}

interface Answer {
  data: unknown
  bytes: number
}

type Kind = (client: Client, nth: number) => Promise<unknown>

const STATUSES = ['new', 'approved', 'shipped', 'cancelled']
const WORDS = ['lake', 'north', 'Berg', 'stone', 'mill', 'green', 'har', 'ost', 'SO-2026', 'Wien']
const QUESTIONS = [
  'how many orders by status?',
  'orders per status and region',
  'average order total by region',
  'total per month in 2026',
]

const at = <Value>(values: readonly Value[], nth: number): Value =>
  values[nth % values.length] as Value

const page = ({ idOf }: Client, nth: number): object => ({
  Filters: [
    { Field: 'Status', Operator: 'eq', Value: at(STATUSES, nth) },
    { Field: 'Id', Operator: 'ge', Value: idOf(nth) },
  ],
  Sort: [{ Field: at(['OrderedAt', 'Number', 'Total'], nth), Direction: at(['asc', 'desc'], nth) }],
  PageSize: 50,
})

const someOrders = ({ idOf }: Client, nth: number): { Filters: object[] } => ({
  Filters: [{ Field: 'Id', Operator: 'between', Value: [idOf(nth), idOf(nth) + 300] }],
})

function customersFile(nth: number): FormData {
  const rows = Array.from({ length: 50 }, (_, row) => {
    const code = `S${nth % 40}-${row}`
    return `${code},Soak ${nth} ${row},Lakes,${code.toLowerCase()}@example.com`
  })
  const form = new FormData()
  form.set('objectName', 'customers')
  form.set('mode', 'upsert')
  form.set('keyFields', 'Code')
  form.set('keepKeys', 'true')
  form.set('file', new File([`Code,Name,Region,Email\n${rows.join('\n')}\n`], 'customers.csv'))
  return form
}

const KINDS: Readonly<Record<string, Kind>> = {
  page: (client, nth) => client.post(`${SVC}/object/orders/table`, page(client, nth)),
  form: ({ post, idOf }, nth) =>
    post(`${SVC}/object/orders/form`, { Parameters: { Id: idOf(nth) } }),
  search: ({ post }, nth) =>
    post(`${SVC}/object/orders/table`, { SearchText: `${at(WORDS, nth)} ${nth % 977}` }),
  find: ({ get }, nth) => get(`${SVC}/search?q=${encodeURIComponent(at(WORDS, nth))}`),
  update: ({ post, idOf }, nth) =>
    post(`${SVC}/object/submit`, {
      FormName: 'orders',
      Parameters: { Id: idOf(nth), Reference: `PO ${nth}` },
    }),
  create: ({ post, customerOf }, nth) => {
    const { Id, Region } = customerOf(nth)
    const Parameters = { CustomerId: Id, Reference: `PO ${nth}`, Region }
    return post(`${SVC}/object/submit`, { FormName: 'orders', Parameters })
  },
  customers: ({ post }, nth) =>
    post(`${SVC}/object/customers/table`, { SearchText: at(WORDS, nth) }),
  badges: ({ get }) => get(`${SVC}/navbar/badges`),
  report: ({ post }, nth) =>
    post(`${SVC}/reports/SalesOverview/data`, {
      Arguments: { From: `2026-0${1 + (nth % 9)}-01`, To: '2026-11-30' },
    }),
  explorer: ({ post }, nth) =>
    post(`${SVC}/object-explorer/query`, {
      ObjectName: 'orders',
      GroupBy: [at(['Status', 'Region', 'OrderedAt:month'], nth)],
      Aggregates: [{ Field: 'Total', Function: 'sum', As: 'Sum' }],
    }),
  question: ({ post }, nth) => post(`${SVC}/assistant/query`, { Question: at(QUESTIONS, nth) }),
  csv: (client, nth) =>
    client.post(`${SVC}/object/export-data`, {
      ObjectName: 'orders',
      Format: 'csv',
      ...someOrders(client, nth),
    }),
  xlsx: (client, nth) =>
    client.post(`${SVC}/object/export-data`, {
      ObjectName: 'orders',
      Format: 'xlsx',
      ...someOrders(client, nth),
    }),
  invoice: ({ get, idOf }, nth) => get(`/report/invoice?Id=${idOf(nth)}&format=pdf`),
  import: ({ send }, nth) => send(`${SVC}/object/import-data`, customersFile(nth)),
  wizard: async ({ post, remove }) => {
    const { data } = await post(`${SVC}/wizard/NewCustomer/start`, {})
    return remove(`${SVC}/wizard/runs/${(data as { RunId: string }).RunId}`)
  },
  upload: async ({ send, remove }, nth) => {
    const form = new FormData()
    form.set('objectName', 'customer-contracts')
    form.set('fieldName', 'Paper')
    form.set('file', new File([`%PDF-1.4 ${'x'.repeat(200_000)} ${nth}`], 'contract.pdf'))
    const { data } = await send(`${SVC}/object/upload`, form)
    const [upload] = data as { UploadKey: string }[]
    return remove(`${SVC}/object/upload/${upload?.UploadKey}`)
  },
  procedure: ({ post }) => post(`${SVC}/rpc/SalesByRegion`, { Parameters: {} }),
  list: (client, nth) => {
    const { Filters } = someOrders(client, nth)
    const filters = encodeURIComponent(JSON.stringify(Filters))
    return client.get(`/report/list?object=orders&format=pdf&filters=${filters}`)
  },
  hub: async ({ hub }) => hub(),
  me: ({ get }) => get('/api/v1/auth/me'),
  signIn: ({ post }) => post('/api/v1/auth/login', MANAGER),
}

/** How often each kind comes in a round; those that are not named once. */
const SHARES: Readonly<Record<string, number>> = {
  page: 8,
  form: 8,
  update: 5,
  search: 3,
  create: 2,
}

/** The kinds of a round, mixed so that neighbours differ. */
function planRound(only: string | undefined): readonly Kind[] {
  if (only !== undefined) {
    const kind = KINDS[only]
    if (!kind) throw new Error(`The soak has no kind ${only}: ${Object.keys(KINDS).join(' ')}`)
    return [kind]
  }
  const all = Object.entries(KINDS).flatMap(([name, kind]) =>
    Array.from({ length: SHARES[name] ?? 1 }, (_, nth) => ({
      kind,
      at: (nth + 0.5) / (SHARES[name] ?? 1),
    })),
  )
  return all.toSorted((one, other) => one.at - other.at).map(({ kind }) => kind)
}

/** The newest records of a view that the user sees, at most a page of the largest size. */
async function listRows<Row>(
  { post }: Calls,
  view: string,
  request: { Fields: string[]; Filters?: object[] },
): Promise<Row[]> {
  const body = { PageSize: 1000, Sort: [{ Field: 'Id', Direction: 'desc' }], ...request }
  const { data } = await post(`${SVC}/object/${view}/table`, body)
  return (data as { Rows: Row[] }).Rows
}

async function openClient(engine: ServerProcess): Promise<Client> {
  const { data } = await callsOf(engine, '').post('/api/v1/auth/login', MANAGER)
  const calls = callsOf(engine, (data as { AccessToken: string }).AccessToken)
  const orders = await listRows<{ Id: number }>(calls, 'orders', { Fields: ['Id'] })
  const customers = await listRows<Customer>(calls, 'customers', {
    Fields: ['Id', 'Region'],
    // A new order takes no other.
    Filters: [{ Field: 'Active', Operator: 'eq', Value: true }],
  })
  return {
    ...calls,
    idOf: (nth) => at(orders, nth * 7919).Id,
    customerOf: (nth) => at(customers, nth * 31),
  }
}

type Calls = Omit<Client, 'idOf' | 'customerOf'>

function callsOf(engine: ServerProcess, token: string): Calls {
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const headers = { ...init.headers, ...(token && { Authorization: `Bearer ${token}` }) }
    const answer = await fetch(`http://127.0.0.1:${engine.port}${path}`, { ...init, headers })
    const bytes = await answer.bytes()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
    const body = isJson
      ? (JSON.parse(Buffer.from(bytes).toString()) as { data: unknown })
      : undefined
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${Buffer.from(bytes).toString()}`)
    return { data: body?.data, bytes: bytes.length }
  }
  return {
    get: (path) => ask(path, {}),
    post: (path, body) =>
      ask(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
    remove: (path) => ask(path, { method: 'DELETE' }),
    hub: () => visitHub(engine, token),
    send: (path, form) => ask(path, { method: 'POST', body: form }),
  }
}

/** One for each request, so that errors of a kind differ by it. */
const TRACE_ID = /[0-9a-f]{32}/g

const HANDSHAKE = `{"protocol":"json","version":1}\u001e`

/** A hub connection from its handshake to its end. */
async function visitHub(engine: ServerProcess, token: string): Promise<void> {
  const path = `api/v1/hubs/notifications?access_token=${token}`
  const socket = new WebSocket(`ws://127.0.0.1:${engine.port}/${path}`)
  const ended = Promise.withResolvers<void>()
  socket.addEventListener('open', () => socket.send(HANDSHAKE))
  socket.addEventListener('message', () => socket.close())
  socket.addEventListener('close', () => ended.resolve())
  await ended.promise
}

/** MiB a minute by least squares over values a minute apart. */
function planSlope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const over = values.reduce((sum, value, minute) => sum + (minute - middle) * (value - mean), 0)
  return over / values.reduce((sum, _, minute) => sum + (minute - middle) ** 2, 0)
}

/** Lines of figures, as they are known. */
export async function* measureSoak(
  executable: string,
  world: World,
  pace: SoakPace,
): AsyncGenerator<string> {
  await using engine = await startEngine(executable, world, QUOTAS, true)
  const client = await openClient(engine)
  const round = planRound(pace.kind)
  const minutes: number[] = []
  const begun = readShareMiB(engine.pid)
  const startedAt = performance.now()
  const errors = new Map<string, number>()
  for (let nth = 0; minutes.length < pace.minutes; nth++) {
    const due = startedAt + (nth / pace.rate) * 1000
    const wait = due - performance.now()
    if (wait > 0) await Bun.sleep(wait)
    await at(round, nth)(client, nth).catch((error: unknown) => {
      const text = String(error).replace(TRACE_ID, '#').replace(/\d+/g, '#').slice(0, 200)
      errors.set(text, (errors.get(text) ?? 0) + 1)
    })
    while (performance.now() - startedAt > (minutes.length + 1) * 60_000) {
      minutes.push(readShareMiB(engine.pid))
      yield `soak  minute ${minutes.length}, ${nth + 1} requests: ${minutes.at(-1)?.toFixed(0)} MiB`
    }
  }
  const half = minutes.slice(Math.floor(minutes.length / 2))
  const level = half.reduce((sum, value) => sum + value, 0) / half.length
  yield `soak  start ${begun.toFixed(0)} MiB, most ${Math.max(...minutes).toFixed(0)}, wanted ` +
    `under ${WANTED_MIB}; its second half ${level.toFixed(0)} and ` +
    `${planSlope(half).toFixed(2)} MiB a minute; ${errors.size} kinds of errors`
  for (const [text, times] of errors) yield `  ${times} × ${text}`
}
