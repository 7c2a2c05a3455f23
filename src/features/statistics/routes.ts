/**
 * Figures for operators: `/metrics` as Prometheus reads them, `/api/v1/svc/statistics` as JSON; and
 * the settings that the server runs with.
 */
import { Type } from '@sinclair/typebox'
import { Loop } from '../../kernel/background.ts'
import {
  type Figure,
  FIGURES_TYPE,
  gauge,
  joinFigures,
  type ListFigures,
  printFigures,
} from '../../kernel/figures.ts'
import type { Store } from '../../store/store.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature, Served } from '../../server/feature.ts'
import { rolesGate, WATCHERS } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { AheadFigures, COUNTED_MS } from './ahead-figures.ts'
import { listProcessFigures, LoopDelay } from './process-figures.ts'
import { ServerSetting, Statistics, toWireFigure, toWireSetting } from './schema.ts'
import { StoredFigures } from './stored-figures.ts'

const AREA = {
  name: 'Statistics',
  description: 'Figures and settings of the server.',
}

const GET_METRICS = {
  response: Type.String(),
  detail: {
    'x-gate': WATCHERS,
    operationId: 'getMetrics',
    summary: 'The figures of the server in the Prometheus text format',
    description:
      'Without a token for programs of this machine whose request no proxy passed on, and for ' +
      'those of the networks of `Svc:Metrics:Allow`. Else gate: System, also by an API key. No ' +
      'label names a user, a company or a record.',
    responses: {
      '200': {
        description: 'The figures, each with its help and its kind',
        content: {
          'text/plain': {
            schema: Type.String(),
            example:
              '# HELP appengine_writer_queue Changes that wait for the writer\n' +
              '# TYPE appengine_writer_queue gauge\n' +
              'appengine_writer_queue{database="engine"} 0\n',
          },
        },
      },
    },
  },
}

const GET_STATISTICS = {
  response: Envelope(Statistics),
  detail: {
    'x-gate': rolesGate('System'),
    operationId: 'getServerStatistics',
    summary: 'The figures of the server',
    description: 'Those of `/metrics`, as JSON. Gate: System.',
  },
}

const LIST_SETTINGS = {
  response: Envelope(Type.Array(ServerSetting)),
  detail: {
    'x-gate': rolesGate('System'),
    operationId: 'listServerSettings',
    summary: 'The settings of the server',
    description:
      'Each with its meaning, its value and where that comes from, as the server began with it. ' +
      'Values of secrets are not shown, nor those of the application (`App:…`). Gate: System.',
  },
}

const METRICS_HEADERS = {
  'Content-Type': FIGURES_TYPE,
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
}

/** Reads all figures, those of one name joined. */
async function readFigures({ figures }: Served): Promise<Figure[]> {
  return joinFigures((await Promise.all(figures.map((list) => list()))).flat())
}

const planRoutes = (_: AppContext, served: Served): RouteGroup => ({
  prefix: '',
  area: AREA.name,
  routes: [
    route('GET', '/metrics', GET_METRICS, async () => {
      const text = printFigures(await readFigures(served))
      return new Response(text, { headers: METRICS_HEADERS })
    }),
    route('GET', '/api/v1/svc/statistics', GET_STATISTICS, async ({ app }) => {
      const figures = await readFigures(served)
      return ok({ At: app.clock.now().toISOString(), Figures: figures.map(toWireFigure) })
    }),
    route('GET', '/api/v1/svc/settings', LIST_SETTINGS, ({ app: { settings } }) => {
      const secrets = new Set(settings.listSecrets())
      return ok(settings.describe().map((each) => toWireSetting(each, secrets)))
    }),
  ],
})

/** Milliseconds between two looks at the event loop. */
const LOOK_MS = 500

/** Measures that the routes and the work beside them share. */
interface Measured {
  readonly delay: LoopDelay
  readonly stored: AheadFigures
  readonly serving: AheadFigures
}

const measured = new WeakMap<AppContext, Measured>()

function measuredOf(context: AppContext): Measured {
  const known = measured.get(context) ?? {
    delay: new LoopDelay(),
    stored: new AheadFigures(context.clock, (now) => new StoredFigures(context).count(now)),
    serving: new AheadFigures(context.clock, () => probeStores(context)),
  }
  measured.set(context, known)
  return known
}

function openLook(context: AppContext): Loop {
  const { delay } = measuredOf(context)
  return new Loop({
    name: 'Event loop delay',
    everyMs: LOOK_MS,
    steps: [async () => delay.look(performance.now(), LOOK_MS)],
    follow: () => () => delay.forget(),
    failure: 'the event loop could not be measured',
    log: context.log,
  })
}

/** A scrape is answered at once: no count of the database, and no write that tries its disk. */
const openCounts = (context: AppContext): Loop =>
  new Loop({
    name: 'Figures of the database',
    everyMs: COUNTED_MS,
    steps: [
      () => measuredOf(context).stored.countAhead(),
      () => measuredOf(context).serving.countAhead(),
    ],
    failure: 'figures could not be counted in the database',
    log: context.log,
  })

/** Zero while a database is damaged, gone, or its disk is full: see `Store.requireServing`. */
async function isServing(store: Store): Promise<boolean> {
  try {
    await store.requireServing()
    return true
  } catch {
    return false
  }
}

/** The end of the certificate, where the server speaks TLS by itself. */
const listCertificate =
  ({ listeners }: AppContext): ListFigures =>
  () => {
    const end = listeners.certificateExpiresAt
    if (!end) return []
    const help = 'When the served certificate expires, since 1970'
    return [gauge('appengine_certificate_expiry_timestamp_seconds', help, end.getTime() / 1000)]
  }

/** Tries both databases, with a write where none went through of late. */
async function probeStores({ store, state }: AppContext): Promise<Figure[]> {
  const serving = await Promise.all([store, state].map(isServing))
  return [
    {
      name: 'appengine_database_serving',
      help: 'One while the database answers and takes changes',
      kind: 'gauge',
      samples: ['engine', 'state'].map((database, at) => ({
        labels: { database },
        value: serving[at] ? 1 : 0,
      })),
    },
  ]
}

/** The figures of both databases, which are there also while one of them does not serve. */
const listStores =
  (context: AppContext): ListFigures =>
  async () => [
    ...(await measuredOf(context).serving.list()),
    ...context.store.listFigures(),
    ...context.state.listFigures(),
  ]

/** Counts of the database; without them the others are there. */
function listStored(context: AppContext): ListFigures {
  const { stored } = measuredOf(context)
  return async () => {
    try {
      return await stored.list()
    } catch (cause) {
      context.log.error('figures could not be counted in the database', cause)
      return []
    }
  }
}

const listRuns =
  ({ jobs }: AppContext): ListFigures =>
  () => [
    {
      name: 'appengine_job_runs_total',
      help: 'Runs of jobs that ended, by queue and outcome',
      kind: 'counter',
      samples: [...jobs.runsEnded].map(([key, value]) => {
        const [queue = '', outcome = ''] = key.split(' ')
        return { labels: { queue, outcome }, value }
      }),
    },
  ]

const listServices =
  ({ services }: AppContext): ListFigures =>
  () => [
    gauge(
      'appengine_services_faulted',
      'Services beside the requests whose latest run failed',
      services.list().filter(([, { isFaulted }]) => isFaulted).length,
    ),
  ]

/** See `Feature`. */
export const statisticsFeature: Feature = {
  areas: [AREA],
  routes: [planRoutes],
  background: [openLook, openCounts],
  figures: [
    ({ requests }) =>
      () =>
        requests.list(),
    (context) => () => listProcessFigures(context, measuredOf(context).delay),
    listStores,
    listRuns,
    listServices,
    listCertificate,
    listStored,
  ],
}
