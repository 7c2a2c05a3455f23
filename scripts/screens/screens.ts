/** The screens of the client over the demo: a data table. A screen is ready when it says so. */
import type { Page } from 'playwright-core'

/** One screen, as a user of the demo opens it; nothing of it goes by words of a language. */
export interface Screen {
  name: string
  /** The user who is signed in; undefined where nobody is. */
  user: string | undefined
  path: string
  /** A CSS selector of what is seen once it is whole. */
  ready: string
  /** Steps that lead on from the path. */
  open?: (page: Page) => Promise<void>
}

const FORM = 'main .form'

export const SCREENS: readonly Screen[] = [
  { name: 'sign-in', user: undefined, path: '/', ready: 'vaadin-password-field' },
  { name: 'home', user: 'ana', path: '/', ready: '.tile' },
  { name: 'orders', user: 'ana', path: '/object/orders', ready: 'main :text("SO-20")' },
  { name: 'order', user: 'ana', path: '/object/orders/400', ready: FORM },
]
