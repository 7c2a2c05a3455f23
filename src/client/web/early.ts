/**
 * A script before the client's own, which takes its time on a slow machine. The page waits for it:
 * light or dark and the density, as a page that turns dark a moment later hurts the eye; and the
 * renewal of the session, whose answer is there when the client asks for it.
 */
const chosen = localStorage.getItem('theme')
const isDark =
  chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.setAttribute('theme', isDark ? 'dark' : 'light')
if (localStorage.getItem('density') === 'compact')
  document.documentElement.setAttribute('data-density', 'compact')

const refresh = (): Promise<Response | undefined> =>
  fetch('/api/v1/auth/refresh', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  }).catch(() => undefined)

// Asked for at once: a lock would be given behind the client's script, a third of a slow start.
// Other tabs that begin meanwhile are given the same session (the server repeats an answer for
// seconds), and those that renew theirs later wait for this one, as `api/tokens.ts` has it.
const renewed = refresh()
window.earlyRefresh = renewed
if ('locks' in navigator)
  navigator.locks.request('appengine-refresh', () => renewed).catch(() => undefined)

export {}
