/**
 * Light or dark, and the density, before the first paint: a script of its own that the page waits
 * for, as a page that turns dark a moment later hurts the eye.
 */
const chosen = localStorage.getItem('theme')
const isDark =
  chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.setAttribute('theme', isDark ? 'dark' : 'light')
if (localStorage.getItem('density') === 'compact')
  document.documentElement.setAttribute('data-density', 'compact')
export {}
