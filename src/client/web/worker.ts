/** The service worker: pictures with the token of the page, and messages of web push. */
const scope = self as unknown as ServiceWorkerGlobalScope

scope.addEventListener('install', () => void scope.skipWaiting())
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()))
