/** A feature as the server takes it. Its folder declares it, `src/app.ts` lists it. */
import type { Background } from '../kernel/background.ts'
import type { ListFigures } from '../kernel/figures.ts'
import type { Part } from '../kernel/part.ts'
import type { FindJobKind, JobKind } from '../engine/jobs/job.ts'
import type { ListRecurring } from '../engine/jobs/recurring-job.ts'
import type { OuterEvents } from '../engine/object/after-write/outer-events.ts'
import type { AppContext } from './context.ts'
import type { Hub, HubChannel } from './hub/hub.ts'
import type { ServedRoute } from './route-table.ts'
import type { RouteGroup } from './route.ts'

/** An area of the OpenAPI document, a group of routes: they name it as their tag. */
export interface Area {
  readonly name: string
  readonly description: string
}

/** Routes and areas of all features: the OpenAPI document is made of them. */
export interface Served {
  /** The routes of the whole app, which are complete after the start only. */
  readonly listRoutes: () => readonly ServedRoute[]
  readonly areas: readonly Area[]
  /** The figures of all features. */
  readonly figures: readonly ListFigures[]
}

/** Declares a feature's hub; it sends by the channel, which reaches clients of this hub. */
export type DeclareHub = (context: AppContext, channel: HubChannel) => Hub

/** Plans a group of routes that share what is made once for an app. */
type PlanRoutes = (context: AppContext, served: Served) => RouteGroup

/** A feature: its parts are there with its line in `src/app.ts`, and not without it. */
export interface Feature extends Part {
  /** Its areas of the OpenAPI document; routes of another feature may be in them, too. */
  readonly areas?: readonly Area[]
  /** Its routes, below the base path, each with its gate. */
  readonly routes: readonly (RouteGroup | PlanRoutes)[]
  /** Its figures for operators: `/metrics`, and `/api/v1/svc/statistics`. */
  readonly figures?: readonly ((context: AppContext) => ListFigures)[]
  /** Its hubs, each at `/api/v1/hubs/<name>`; they are in its first area. */
  readonly hubs?: readonly DeclareHub[]
  /** Its loops beside the requests; each begins before the first of them. */
  readonly background?: readonly ((context: AppContext) => Background)[]
  /** Its kinds of jobs; their names have a hyphen, which no name of a model or extension has. */
  readonly jobs?: readonly ((context: AppContext) => JobKind)[]
  /** Lists its recurring jobs. */
  readonly recurring?: readonly ((context: AppContext) => ListRecurring)[]
  /** Finds what does jobs of a name that the model or an extension gives. */
  readonly jobFinders?: readonly ((context: AppContext) => FindJobKind)[]
  /** Its receivers of what a transaction changed, called before the commit: webhooks. */
  readonly outerEvents?: readonly ((context: AppContext) => OuterEvents)[]
  /** Its routes answer without the base path, too: for supervisors that know of none. */
  readonly answersBesideBasePath?: true
}
