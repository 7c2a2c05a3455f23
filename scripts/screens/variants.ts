/** The ways in which a screen is looked at: size, colours, language. */
import type { PageOptions } from '../../test/outside/browser.ts'

const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

/** Settings of the browser by the name of the variant. */
export const VARIANTS: Readonly<Record<string, PageOptions>> = {
  light: { viewport: DESK },
  dark: { viewport: DESK, colorScheme: 'dark' },
  phone: { viewport: PHONE, hasTouch: true, isMobile: true },
  'phone-dark': { viewport: PHONE, colorScheme: 'dark', hasTouch: true, isMobile: true },
  german: { viewport: DESK, locale: 'de-DE' },
  arabic: { viewport: DESK, locale: 'ar' },
  contrast: { viewport: DESK, forcedColors: 'active' },
}
