// Electron's `powerMonitor`: a test puts the machine to sleep, wakes it, and locks its screen.
import type * as Electron from 'electron'
import { Emulated } from './strict.ts'

/** Electron emits these on Windows and macOS only; elsewhere an application would wait for them forever. */
const NOT_ON_LINUX = ['lock-screen', 'unlock-screen', 'on-ac', 'on-battery'] as const
const isLinux = process.platform === 'linux'

export type PowerEvent = 'suspend' | 'resume' | (typeof NOT_ON_LINUX)[number]

export const powerEvents: { emits: readonly PowerEvent[]; never: readonly string[] } = {
  emits: ['suspend', 'resume', ...(isLinux ? [] : NOT_ON_LINUX)],
  // The machine is never shut down or slowed here.
  never: ['shutdown', 'thermal-state-change', 'speed-limit-change', 'user-did-become-active', 'user-did-resign-active']
}

type Offered = Pick<
  Electron.PowerMonitor,
  'isOnBatteryPower' | 'onBatteryPower' | 'getSystemIdleTime' | 'getSystemIdleState'
>

class PowerMonitor extends Emulated implements Offered {
  onBatteryPower = false
  /** @internal set by a test */
  isLocked = false
  /** @internal set by a test */
  idleSeconds = 0

  constructor() {
    super('powerMonitor', powerEvents)
  }

  isOnBatteryPower(): boolean {
    return this.onBatteryPower
  }

  getSystemIdleTime(): number {
    return this.idleSeconds
  }

  getSystemIdleState(threshold: number): 'active' | 'locked' {
    if (!Number.isInteger(threshold) || threshold <= 0) throw new TypeError('Invalid idle threshold')
    return this.isLocked ? 'locked' : 'active'
  }
}

export const powerMonitor = new PowerMonitor()
