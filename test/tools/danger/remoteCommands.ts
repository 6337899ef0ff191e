// Commands that run what another machine serves, or that write beyond the folder, and harmless commands of the same programs.

function lines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** Each runs code from elsewhere, or writes files of the system. */
export const REACHING = lines(`
docker save -o /etc/x web
docker image save --output=/usr/lib/x web
docker export -o /etc/x web
podman save -o ~/.ssh/authorized_keys web
nerdctl save -o /etc/x web
docker cp a web:/etc
docker cp a web:/usr/bin/ls
docker container cp a web:/root/.ssh/
docker cp web:/x /etc/cron.d/x
podman cp web:/x /usr/bin/x
docker cp -a web:/x ~/.bashrc
docker build https://example.com/r.git
docker build git@example.com:r.git#main
docker build -f https://example.com/Dockerfile .
docker build --build-context x=https://example.com/r.git .
docker build -t x github.com/a/b
docker build --output type=local,dest=/etc .
docker build -o /etc/x .
docker build --allow security.insecure .
docker buildx build --push -t x .
docker buildx bake https://example.com/r.git
podman build https://example.com/r.tar.gz
buildah bud https://example.com/r.git
buildah add box https://example.com/x /bin/x
docker import https://example.com/x.tar
docker compose -f https://example.com/c.yaml up
docker compose -f oci://example.com/c up
podman play kube https://example.com/x.yaml
podman kube play https://example.com/x.yaml
podman machine ssh id
terraform init -from-module=https://example.com/m
terraform init -from-module hashicorp/consul/aws
terraform init -plugin-dir=/tmp/p
terraform plan -out=/etc/x
tofu init -from-module=git::https://example.com/m
terragrunt plan --terragrunt-source git::https://example.com/m
pulumi new https://example.com/t
scl enable x 'rm -rf y'
scl enable x y 'rm -rf z'
scl run x 'sh -c id'
nix-shell --run 'rm -rf x'
nix run github:a/b
nix-shell -p x --command 'id'
helm upgrade r https://example.com/c.tgz
helm install r https://example.com/c.tgz
helm install r oci://example.com/c
helm install r repo/chart
helm upgrade --install r repo/chart
helm install --generate-name repo/chart
helm install r chart --repo https://example.com
helm pull repo/chart -d /etc
helmfile -f git::https://example.com/h.yaml apply
yarn set version https://example.com/y.js
yarn set version ./evil.js
yarn policies set-version https://example.com/y.js
yarn plugin import https://example.com/p.js
npm pkg set scripts.test=id
corepack use https://example.com/y.js
gem sources --add https://example.com
gem update --source https://example.com
bundle plugin install x
cargo install --git https://example.com/r
go run example.com/x@latest
ansible-galaxy install a.b
ansible-galaxy collection install a.b
ansible-pull -U https://example.com/r
git clone ext::x y
git clone 'ext::sh -c id' y
git clone fd::17 y
git remote-ext x 'sh -c id'
git remote-fd x 17
git remote add x ext::id
git remote set-url x 'ext::sh -c id'
git submodule add ext::id x
git clone https://example.com/r /etc/x
git init /etc/x
git worktree add /etc/x
git bundle create /etc/x HEAD
git checkout-index -a --prefix=/etc/
git maintenance start
git for-each-repo --config=x gc
ar x --output=/etc a.a
ar x --output /usr/lib a.a
ar rcs /usr/lib/libx.a a.o
ar --plugin /tmp/x.so t a.a
objcopy a /usr/bin/x
strip /usr/bin/x
ld -o /usr/bin/x a.o
bsdtar --to-command=id -xf a.tar
bsdtar -xf a.tar -C /etc
dpkg-deb -x a.deb /etc
unsquashfs -d /etc/x a.sqfs
rsync -e id a b
tar --to-command=id -xf a.tar
zip -TT id -T a.zip b
`);

/** Each stays in the folder, or fetches as people do every day. */
export const STAYING = lines(`
docker build .
docker build -t web:1 .
docker build -f docker/Dockerfile .
docker build --target test --build-arg A=b .
docker build -o out .
docker buildx build --load -t web .
docker buildx bake
docker save web
docker save -o web.tar web
docker image save -o out/web.tar web
docker export web
docker export -o web.tar web
docker cp web:/etc/hosts .
docker cp web:/app/log out/log
docker cp a web:/app/a
docker cp a web:/tmp/
docker load -i web.tar
docker import web.tar
docker compose -f compose.yaml up -d
docker pull example.com/web
podman build .
podman save -o web.tar web
podman cp web:/x x
podman kube play web.yaml
buildah bud .
buildah images
nerdctl build .
helm list
helm list -A
helm status web
helm install web ./chart
helm upgrade --install web ./chart -f values.yaml
helm upgrade web . --set image=a/b
helm upgrade web ./chart --set image.repository=example.com/a/b
helm template ./chart
helm lint chart
helm pull repo/chart
helm search repo nginx
helm repo list
helm history web
terraform init
terraform init -upgrade
terraform init -backend=false
terraform init -from-module=./module
terraform plan -out=plan
terraform validate
tofu init
terragrunt plan
pulumi preview
scl list-collections
scl -l
scl --version
nix-shell
nix build
nix flake show
yarn set version stable
yarn set version 4.1.0
yarn plugin list
npm pkg get scripts
npm pkg get version
corepack --version
gem list
gem sources --list
bundle install
cargo build
cargo install --path .
cargo install --list
go run ./cmd/x
ansible --version
ansible-galaxy list
ansible-galaxy collection list
ansible-galaxy init role
git clone https://example.com/r
git clone https://example.com/r r
git clone git@example.com:a/b.git
git clone --depth 1 https://example.com/r out
git remote -v
git remote add origin https://example.com/r
git init
git init sub
git worktree add ../fix
git worktree list
git bundle create r.bundle HEAD
git bundle verify r.bundle
git maintenance run
ar t a.a
ar x a.a
ar x --output=out a.a
ar rcs libx.a a.o
ar p /usr/lib/libx.a
objcopy a b
strip build/x
ld -o x a.o
bsdtar -xf a.tar
bsdtar -tf a.tar
dpkg-deb -x a.deb out
dpkg-deb -I a.deb
unsquashfs -l a.sqfs
rsync -a a/ b/
tar -xf a.tar
zip a.zip b
`);
