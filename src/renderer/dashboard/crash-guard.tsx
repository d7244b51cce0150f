import { Component, type ReactNode } from 'react';
import { layoutTexts as texts } from '../texts/dashboard.ts';
import { Button } from './parts/button.tsx';
import { Empty } from './parts/card.tsx';

interface CrashGuardProps {
  readonly children: ReactNode;
  /** What stands in its place, where the rest of the page can do without. */
  readonly fallback?: ReactNode;
}

/** Shows words in place of a blank page when a component throws. React offers this to classes only. */
export class CrashGuard extends Component<CrashGuardProps, { readonly crashed: boolean }> {
  override state = { crashed: false };

  static getDerivedStateFromError(): { readonly crashed: boolean } {
    return { crashed: true };
  }

  override render(): ReactNode {
    if (!this.state.crashed) return this.props.children;
    if (this.props.fallback !== undefined) return this.props.fallback;
    return (
      <main className="grid min-h-dvh place-content-center p-6">
        <Empty title={texts.crash} hint={texts.crashHint}>
          <Button onClick={() => window.location.reload()}>{texts.reload}</Button>
        </Empty>
      </main>
    );
  }
}
