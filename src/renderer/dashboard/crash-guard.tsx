import { Component, type ReactNode } from 'react';
import { layoutTexts as texts } from '../texts/dashboard.ts';
import { Button } from './parts/button.tsx';
import { Empty } from './parts/card.tsx';

/** Shows words in place of a blank page when a component throws. React offers this to classes only. */
export class CrashGuard extends Component<{ readonly children: ReactNode }, { readonly crashed: boolean }> {
  override state = { crashed: false };

  static getDerivedStateFromError(): { readonly crashed: boolean } {
    return { crashed: true };
  }

  override render(): ReactNode {
    if (!this.state.crashed) return this.props.children;
    return (
      <main className="grid min-h-dvh place-content-center p-6">
        <Empty title={texts.crash} hint={texts.crashHint}>
          <Button onClick={() => window.location.reload()}>{texts.reload}</Button>
        </Empty>
      </main>
    );
  }
}
