/** What a feature brings to the server. Its folder declares it, `src/app.ts` lists it. */
import type { AnyElysia } from 'elysia'
import type { AppContext } from './context.ts'

/** How the OpenAPI document groups routes: they name it as their tag. */
export interface Area {
  readonly name: string
  readonly description: string
}

/** A feature: what it brings is there with its line in `src/app.ts`, and gone without. */
export interface Feature {
  /** Its areas of the OpenAPI document; routes of another feature may stand in them, too. */
  readonly areas?: readonly Area[]
  /** Its routes, below the base path, each with its gate. */
  readonly routes: readonly ((context: AppContext) => AnyElysia)[]
}
