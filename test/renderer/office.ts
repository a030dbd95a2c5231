/** Renders a screen, or part of one, in a made-up office. */
import { render } from '@testing-library/svelte'
import type { Component } from 'svelte'
import { AppState, appContext } from '../../src/renderer/src/state/app-state.svelte.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { FakeClock, settle } from './fake-clock.ts'

export interface Opened {
  app: AppState
  api: FakeApi
  clock: FakeClock
  close: () => void
}

/**
 * Opens an office that has loaded what its frame shows. Time stands still until the clock is advanced.
 * @param place the address that a start continues at.
 */
export async function openOffice(api: FakeApi = fakeApi(), place = ''): Promise<Opened> {
  window.location.hash = place
  const clock = new FakeClock(api.control.state.now())
  const app = new AppState(api, window, clock)
  const close = await app.open()
  await settle()
  return { app, api, clock, close }
}

/** Renders a component of the screens in that office. */
export function show(opened: Opened, component: Component<never>, props: Record<string, unknown> = {}) {
  return render(component as Component, { props, context: appContext(opened.app) })
}
