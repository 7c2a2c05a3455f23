/** Light or dark, and the density. The browser keeps both; `early.ts` reads them first. */
import { signal } from '@preact/signals'

type Theme = 'system' | 'light' | 'dark'
type Density = 'comfortable' | 'compact'

const isTheme = (text: string | null): text is Theme => text === 'light' || text === 'dark'

const stored = localStorage.getItem('theme')

export const theme = signal<Theme>(isTheme(stored) ? stored : 'system')
export const density = signal<Density>(
  localStorage.getItem('density') === 'compact' ? 'compact' : 'comfortable',
)

const darkness = matchMedia('(prefers-color-scheme: dark)')

function show(): void {
  const isDark = theme.value === 'dark' || (theme.value === 'system' && darkness.matches)
  document.documentElement.setAttribute('theme', isDark ? 'dark' : 'light')
}

darkness.addEventListener('change', show)

/** Shows and keeps a theme. */
export function setTheme(chosen: Theme): void {
  theme.value = chosen
  localStorage.setItem('theme', chosen)
  show()
}

/** Shows and keeps a density. */
export function setDensity(chosen: Density): void {
  density.value = chosen
  localStorage.setItem('density', chosen)
  document.documentElement.toggleAttribute('data-density', false)
  if (chosen === 'compact') document.documentElement.setAttribute('data-density', chosen)
}
